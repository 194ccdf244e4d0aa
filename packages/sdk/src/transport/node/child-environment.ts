/** Environment of a child process: the caller's variables, and an allowlist of variables that programs need to run. */

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
    // Shells export functions as variables that start with `()`. The child's shell would run them.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...given };
}
