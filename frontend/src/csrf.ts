// The token that every request but a GET carries.

/** The cookie is newer than the page after signing in again, so it goes first. */
export function csrfToken(): string {
  const cookie = /(?:^|; )(?:__Host-)?csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  const meta = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]")?.content;
  return cookie ?? meta ?? "";
}
