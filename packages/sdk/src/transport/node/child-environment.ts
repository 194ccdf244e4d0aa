/** The variables a child process gets: what programs need to run at all, and what the caller names. Nothing else. */

const POSIX = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
] as const;

const WINDOWS = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
] as const;

type Variables = Readonly<Record<string, string | undefined>>;

export function childEnvironment(
  given: Variables = {},
  own: Variables = process.env,
  platform: string = process.platform,
): Variables {
  const environment: Record<string, string | undefined> = {};
  for (const name of platform === "win32" ? WINDOWS : POSIX) {
    const value = own[name];
    // Some shells export functions this way: code that the child's shell would run.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...given };
}
