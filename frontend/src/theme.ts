// Decides light or dark before the first paint; loaded blocking in <head>, because an inline
// script is not allowed by the content security policy.
//
// The choice (light, dark, system) is the cookie `theme`, else `data-theme-choice` on <html>,
// which carries what the signed-in person has stored.

const root = document.documentElement;
const darkScreen = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const stored = /(?:^|; )theme=(light|dark|system)(?:;|$)/.exec(document.cookie)?.[1];
  const choice = root.dataset["themeChoice"] || stored || "system";
  const dark = choice === "dark" || (choice !== "light" && darkScreen.matches);
  root.dataset["bsTheme"] = dark ? "dark" : "light";
}

apply();
darkScreen.addEventListener("change", apply);
