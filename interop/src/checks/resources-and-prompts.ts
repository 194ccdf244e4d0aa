/** Resources, templates, prompts and completion. */
import { type Check, expect, expectEqual, refusalOf } from "./trial.js";

export const resources: Check = async ({ client, exhibit: { resource } }) => {
  const uris = await client.listResources?.();
  expect(uris?.includes(resource.uri) === true, `${resource.uri} is not listed`);
  const text = await client.readResource?.(resource.uri);
  expect(text?.includes(resource.text) === true, `expected "${resource.text}", got "${text?.slice(0, 200)}"`);
};

export const unknownResource: Check = async ({ client, era }) => {
  const refusal = await refusalOf(Promise.resolve(client.readResource?.("note://nowhere")));
  expectEqual(refusal, era === "modern" ? -32602 : -32002, "refusal");
};

export const templates: Check = async ({ client, exhibit: { template } }) => {
  const listed = await client.listTemplates?.();
  expect(listed?.includes(template.uriTemplate) === true, `${template.uriTemplate} is not listed`);
  const text = await client.readResource?.(template.uri);
  expect(text?.includes(template.text) === true, `expected "${template.text}", got "${text}"`);
};

export const prompts: Check = async ({ client, exhibit: { prompt } }) => {
  const names = await client.listPrompts?.();
  expect(names?.includes(prompt.name) === true, `${prompt.name} is not listed`);
  const text = await client.getPrompt?.(prompt.name, prompt.args);
  expect(text?.includes(prompt.text) === true, `expected "${prompt.text}", got "${text}"`);
};

export const completion: Check = async ({ client, exhibit }) => {
  const { prompt, argument, value, values } = exhibit.completion;
  expectEqual(await client.completePrompt?.(prompt, argument, value), values, "suggestions");
};
