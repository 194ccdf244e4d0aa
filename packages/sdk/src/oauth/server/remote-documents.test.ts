import { expect, it } from "vitest";
import { RemoteDocuments } from "./remote-documents.js";

function counting(size = 1): { documents: RemoteDocuments; calls: string[] } {
  const calls: string[] = [];
  const fetch = async (url: string | URL) => {
    calls.push(`${url}`);
    return Response.json("x".repeat(size));
  };
  return { documents: new RemoteDocuments({ fetch, now: () => 0 }), calls };
}

it("keeps the last 1,000 documents", async () => {
  const { documents, calls } = counting();
  for (let index = 0; index <= 1_000; index++) await documents.get(`https://host.example/${index}`);
  await documents.get("https://host.example/1000");
  await documents.get("https://host.example/1");
  expect(calls).toHaveLength(1_001);
  await documents.get("https://host.example/0");
  expect(calls).toHaveLength(1_002);
});

it("keeps 4 Mi characters of documents", async () => {
  const { documents, calls } = counting(2_097_152);
  await documents.get("https://host.example/a");
  await documents.get("https://host.example/b");
  await documents.get("https://host.example/b");
  await documents.get("https://host.example/a");
  expect(calls.map((url) => url.at(-1))).toEqual(["a", "b", "a"]);
});
