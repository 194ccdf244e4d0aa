/** Resources: fixed ones, families under a template with suggestions for its variables, and what is not there. */
import { Client, ProtocolError, parseTemplate } from "parley-mcp/client";
import { McpServer } from "parley-mcp/server";
import { ErrorCode } from "parley-mcp/types";

const albums = new Map([
  ["blue", ["All I Want", "Carey"]],
  ["hejira", ["Coyote", "Amelia"]],
]);

const server = new McpServer({ name: "records", version: "1.0.0" });

server.resource("records://about", { name: "about", mimeType: "text/plain" }, () => "A small collection");

server.resource("records://cover", { name: "cover", mimeType: "image/png" }, () => new Uint8Array([137, 80, 78, 71]));

server.resourceTemplate(
  "records://albums/{album}/{track}",
  {
    name: "track",
    mimeType: "text/plain",
    complete: {
      album: (typed) => [...albums.keys()].filter((album) => album.startsWith(typed)),
      track: (_typed, settled) => (albums.get(settled.arguments.album ?? "") ?? []).map((_, index) => `${index + 1}`),
    },
  },
  ({ uri, variables: { album, track } }) => {
    const title = albums.get(String(album))?.[Number(track) - 1];
    if (title === undefined) throw new ProtocolError(ErrorCode.invalidParams, `There is no such track: ${uri}`);
    return title;
  },
);

for (const revision of ["2025-11-25", "2026-07-28"] as const) {
  console.log(`\n${revision}`);
  await using client = await Client.connect(server, { name: "example", version: "1.0.0", revisions: [revision] });

  for await (const { uri, mimeType } of client.resources()) console.log(`resource ${uri}, ${mimeType}`);
  for await (const { uriTemplate, name } of client.resourceTemplates()) console.log(`template ${uriTemplate}, ${name}`);

  for (const uri of ["records://about", "records://cover"]) {
    const { contents } = await client.readResource(uri);
    console.log("read:", JSON.stringify(contents));
  }

  const template = "records://albums/{album}/{track}";
  const ref = { type: "ref/resource", uri: template } as const;
  const album = (await client.complete({ ref, argument: { name: "album", value: "h" } })).completion.values[0] ?? "";
  const chosen = { arguments: { album } };
  const tracks = await client.complete({ ref, argument: { name: "track", value: "" }, context: chosen });
  console.log(`suggested: ${album}, tracks ${tracks.completion.values.join(" and ")}`);

  const uri = parseTemplate(template).expand({ album, track: "2" });
  const { contents } = await client.readResource(uri);
  console.log("filled in:", JSON.stringify(contents[0]));

  for (const missing of ["records://nowhere", "records://albums/blue/9"]) {
    try {
      await client.readResource(missing);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      console.log("rejected:", error.code, error.message);
    }
  }
}
