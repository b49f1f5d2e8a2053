"use strict";
(() => {
  const EVERY = 5000;
  const connection = document.getElementById("connection");
  const pause = document.getElementById("pause");
  const shown = new Map();
  let timer = 0, answered = new Date();

  const swap = (fresh) => {
    const old = document.getElementById(fresh.id);
    if (!old || shown.get(fresh.id) === fresh.outerHTML) return;
    shown.set(fresh.id, fresh.outerHTML);
    for (const one of old.querySelectorAll("details[open]")) fresh.querySelector(`#${one.id}`)?.setAttribute("open", "");
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    old.replaceWith(fresh);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  };

  const renew = async () => {
    try {
      const answer = await fetch("status", { cache: "no-store", signal: AbortSignal.timeout(EVERY - 500) });
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of page.querySelectorAll("main > section")) swap(part);
      document.title = page.title;
      answered = new Date();
      connection.textContent = "";
    } catch {
      connection.textContent ||= `No answer since ${answered.toISOString().slice(11, 19)} UTC: what stands below is old.`;
    }
  };

  const schedule = (now) => {
    clearInterval(timer);
    if (document.hidden || pause.getAttribute("aria-pressed") === "true") return;
    if (now) renew();
    timer = setInterval(renew, EVERY);
  };

  pause.hidden = false;
  pause.addEventListener("click", () => {
    pause.setAttribute("aria-pressed", pause.getAttribute("aria-pressed") !== "true");
    schedule(true);
  });
  document.addEventListener("visibilitychange", () => schedule(true));
  schedule(false);
})();
