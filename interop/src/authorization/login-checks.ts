/** One check for each feature, in the order in which a user meets them. */
import { FormBrowser } from "./form-browser.js";
import {
  LOGIN_FEATURES,
  type LoggedInClient,
  type LoginClient,
  type LoginDeparture,
  type LoginFeature,
  type LoginServer,
} from "./login-peer.js";

export interface LoginPair {
  readonly client: LoginClient;
  readonly server: LoginServer;
  /** What these two cannot do together, and why. */
  readonly lacks?: Partial<Record<LoginFeature, string>>;
}

/** `passed`, or what went wrong. */
export type LoginOutcomes = Partial<Record<LoginFeature, string>>;

/** What both sides have. */
export function featuresOf({ client, server, lacks }: LoginPair): readonly LoginFeature[] {
  return LOGIN_FEATURES.filter((feature) => !{ ...client.lacks, ...server.lacks, ...lacks }[feature]);
}

/** Where either side departs from the specification. */
export function departuresOf({ client, server }: LoginPair): Partial<Record<LoginFeature, LoginDeparture>> {
  return { ...client.departs, ...server.departs };
}

export async function runLogins(pair: LoginPair): Promise<LoginOutcomes> {
  const browser = new FormBrowser();
  await using server = await pair.server.start();
  await using client = await pair.client.connect(server.url, browser, () => server.now());
  const expectAnswer = async (tool: string, answer: string, logins: number): Promise<void> => {
    const before = browser.logins;
    const given = await client.callTool(tool);
    if (given !== answer) throw new Error(`${tool}: expected ${answer}, got ${given}`);
    if (browser.logins - before !== logins) throw new Error(`the user logged in ${browser.logins - before} times`);
  };
  const checks: Record<LoginFeature, () => Promise<void>> = {
    login: async () => {
      await expectAnswer("whoami", server.subject, 0);
      if (browser.logins !== 1) throw new Error(`the user logged in ${browser.logins} times`);
    },
    refresh: async () => {
      await server.expireAccessTokens();
      await expectAnswer("whoami", server.subject, 0);
    },
    "step-up": () => expectAnswer("write", "written", 1),
    "login again": async () => {
      await server.expireGrants();
      await expectAnswer("whoami", server.subject, 1);
    },
  };
  const outcomes: LoginOutcomes = {};
  for (const feature of featuresOf(pair)) outcomes[feature] = await outcomeOf(checks[feature], client);
  return outcomes;
}

async function outcomeOf(check: () => Promise<void>, client: LoggedInClient): Promise<string> {
  try {
    await check();
    return "passed";
  } catch (error) {
    return [error, client.printed?.()].filter((part) => part !== undefined).join("\n");
  }
}
