/** Recognizes loopback hosts. Traffic to them stays on this machine, so they are safe without TLS. */

const LOOPBACK_IPV4 = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Whether a host is `localhost`, in 127.0.0.0/8, or `::1`, with or without brackets. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  return host === "localhost" || host === "[::1]" || host === "::1" || LOOPBACK_IPV4.test(host);
}

/** Whether a URL is `https:`, or `http:` on a loopback host. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}
