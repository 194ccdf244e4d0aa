/** Tools for every day: time, units, text, a chart as an image, and a timer that reports progress, can be cancelled and can be a task. */
import { setTimeout } from "node:timers/promises";
import { ToolError } from "parley-mcp/server";
import { z } from "zod";
import { drawBars } from "./bar-chart.js";
import type { Desk } from "./desk.js";
import { convert, UNITS } from "./units.js";

const DAY_MS = 86_400_000;
const readOnly = { readOnlyHint: true, openWorldHint: false };

export function addEverydayTools({ server, hasTasks }: Desk): void {
  server.tool(
    "world_clock",
    {
      title: "World clock",
      description: "The date and time in a time zone",
      input: z.object({ zone: z.string().max(60).default("UTC").describe("Such as Europe/Rome") }),
      output: z.object({ zone: z.string(), time: z.string() }),
      annotations: readOnly,
    },
    ({ zone }) => ({ zone, time: timeIn(zone) }),
  );

  server.tool(
    "days_between",
    {
      title: "Days between",
      description: "How many days and weeks lie between two dates",
      input: z.object({ from: z.iso.date(), to: z.iso.date() }),
      output: z.object({ days: z.number().int(), weeks: z.number() }),
      annotations: readOnly,
    },
    ({ from, to }) => {
      const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
      return { days, weeks: rounded(days / 7) };
    },
  );

  server.tool(
    "convert_units",
    {
      title: "Convert units",
      description: `Between units of one kind: ${UNITS.join(", ")}`,
      input: z.object({ value: z.number(), from: z.enum(UNITS), to: z.enum(UNITS) }),
      output: z.object({ value: z.number(), unit: z.string() }),
      annotations: readOnly,
    },
    ({ value, from, to }) => {
      const converted = convert(value, from, to);
      if (converted === undefined) throw new ToolError(`${from} and ${to} do not measure the same`);
      return { value: rounded(converted), unit: to };
    },
  );

  server.tool(
    "text_statistics",
    {
      title: "Text statistics",
      description: "Words, sentences, and the minutes it takes to read a text",
      input: z.object({ text: z.string().max(200_000) }),
      output: z.object({ characters: z.number(), words: z.number(), sentences: z.number(), minutes: z.number() }),
      annotations: readOnly,
    },
    ({ text }) => {
      const words = [...new Intl.Segmenter("en", { granularity: "word" }).segment(text)];
      const sentences = [...new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)];
      const count = words.filter(({ isWordLike }) => isWordLike).length;
      return { characters: text.length, words: count, sentences: sentences.length, minutes: rounded(count / 230) };
    },
  );

  server.tool(
    "draw_chart",
    {
      title: "Draw a chart",
      description: "A bar chart of up to 40 values, as a PNG",
      input: z.object({ values: z.array(z.number().min(0).max(1e9)).min(1).max(40) }),
      annotations: readOnly,
    },
    ({ values }) => {
      const data = Buffer.from(drawBars(values)).toString("base64");
      const caption = `${values.length} values from ${Math.min(...values)} to ${Math.max(...values)}`;
      return {
        content: [
          { type: "text" as const, text: caption },
          { type: "image" as const, data, mimeType: "image/png" },
        ],
      };
    },
  );

  server.tool(
    "focus_timer",
    {
      title: "Focus timer",
      description: "Waits for up to an hour, tells how far it is, and stops when the caller cancels",
      input: z.object({ seconds: z.number().positive().max(3_600).default(25) }),
      annotations: readOnly,
      // A client with tasks gets a handle at once, and the others wait.
      task: hasTasks ? { mode: "optional", pollIntervalMs: 1_000 } : undefined,
    },
    async ({ seconds }, context) => {
      const steps = Math.min(100, Math.max(5, Math.round(seconds)));
      for (let step = 0; step < steps; step += 1) {
        await context.progress(step, steps, `${rounded(seconds - (seconds * step) / steps)} s left`);
        await setTimeout((seconds * 1_000) / steps, undefined, { signal: context.signal });
      }
      return `${seconds} s are over`;
    },
  );
}

export function timeIn(zone: string): string {
  try {
    return new Date().toLocaleString("en-GB", { timeZone: zone, dateStyle: "full", timeStyle: "medium" });
  } catch {
    throw new ToolError(`There is no time zone "${zone}"; they read like Europe/Rome, America/Lima or UTC`);
  }
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
