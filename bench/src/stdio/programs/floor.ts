/** The floor: a loop that splits lines, parses each and writes a constant for it, once per chunk. */

const RESULT =
  '{"content":[{"type":"text","text":"{\\"sku\\":\\"sku-0\\",\\"total\\":22,\\"currency\\":\\"EUR\\",\\"lines\\":' +
  '[{\\"label\\":\\"goods\\",\\"amount\\":7},{\\"label\\":\\"express\\",\\"amount\\":15}]}"}],"structuredContent":' +
  '{"sku":"sku-0","total":22,"currency":"EUR","lines":[{"label":"goods","amount":7},{"label":"express","amount":15}]}}';

let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  let answers = "";
  for (const line of lines) {
    const { id } = JSON.parse(line) as { id?: unknown }; // The load writes nothing but messages.
    if (id !== undefined) answers += `{"jsonrpc":"2.0","id":${id},"result":${RESULT}}\n`;
  }
  if (answers !== "") process.stdout.write(answers);
});
