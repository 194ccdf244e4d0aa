import { fileURLToPath } from "node:url";

/** The folder of this package, whether its code runs from `src` or from `dist`. */
export const home: string = fileURLToPath(new URL("..", import.meta.url));
