/** One of the processes that serve legacy sessions over Redis together. */
import { answerParent } from "../forked.js";
import { openBackend } from "./backends.js";
import { defineServer, serveSubject } from "./subjects.js";

const [, , redisUrl = ""] = process.argv;
const backend = await openBackend("Redis", redisUrl);
const http = await serveSubject(defineServer(backend), backend);
answerParent(http.url, () => undefined);
