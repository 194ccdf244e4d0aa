import { expect, it } from "vitest";
import { TransientMap } from "./transient-map.js";

it.each([1, 3, 64, 65, 200])("holds %i entries as a Map does, in order of arrival", (count) => {
  const map = new TransientMap<string, number>();
  const model = new Map<string, number>();
  const same = () => {
    expect(map.size).toBe(model.size);
    expect(map.entries()).toEqual([...model]);
    expect(map.keys()).toEqual([...model.keys()]);
    expect(map.values()).toEqual([...model.values()]);
    expect(map.first()).toEqual([...model][0]);
  };
  same();
  for (let index = 0; index < count; index++) {
    map.set(`k${index}`, index);
    model.set(`k${index}`, index);
  }
  same();
  map.set("k0", -1);
  model.set("k0", -1);
  same();
  for (let index = -1; index <= count; index += 2) {
    expect(map.has(`k${index}`)).toBe(model.has(`k${index}`));
    expect(map.get(`k${index}`)).toBe(model.get(`k${index}`));
    expect(map.delete(`k${index}`)).toBe(model.delete(`k${index}`));
  }
  same();
  for (const key of [...model.keys()]) {
    expect(map.delete(key)).toBe(true);
    model.delete(key);
    same();
  }
  map.set("again", 1);
  expect(map.entries()).toEqual([["again", 1]]);
});

it.each([2, 100])("forgets all of %i entries", (count) => {
  const map = new TransientMap<number, number>();
  for (let index = 0; index < count; index++) map.set(index, index);
  map.clear();
  expect([map.size, map.entries(), map.get(1), map.first()]).toEqual([0, [], undefined, undefined]);
});
