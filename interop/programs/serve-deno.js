/** Serves our server on Deno, at the port in the environment. */
import process from "node:process";
import { handle } from "../dist/servers/ours-fetch.js";

globalThis.Deno.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1" }, handle);
