/** A page that runs scripts. Playwright's own types are not installed where the adapters are compiled. */
export interface ScriptedPage {
  /** Makes a function of this process a global of the page. */
  expose(name: string, call: (...args: never[]) => void): Promise<void>;
  evaluate(script: string): Promise<unknown>;
  close(): Promise<void>;
}

export function startBrowser(module: string, executablePath: string): Promise<{ openPage(): Promise<ScriptedPage> }>;
