// The line to the box. A page that shows the table hears a beat every few seconds, however quiet the game is. If none
// comes it asks by itself, and says so if nobody answers. All pages of one browser share one stream, since a
// browser opens six at most, and a page that nobody sees has none.
//
// For browsers from Chromium 68 on (docs/browsers.md): no `?.`, no `??`, no newer ways of the page's own.

const SILENT_MS = 5000; // Then the page asks for the table itself,
const ASK_MS = 3000; // so often,
const LOST_MS = 8000; // and then it says that what it shows is old.
const PATIENCE_MS = 4000; // One answer may take so long.
const DEAF_MS = 7000; // A stream from which nothing comes is opened anew.
const LED_MS = 4500; // After so long without the page that has the stream another one opens its own.
const WAKE_MS = 2000; // Whoever comes back to the page is told only after this that it is old.

window.openLine = function openLine({ game, from, look, tell, gone }) {
  const me = `${Date.now()}.${Math.random()}`;
  let channel = null;
  let shown = null; // The mark of what the page shows.
  let heard = Date.now();
  let behind = 0; // Since when something newer is known.
  let looking = false;
  let wanted = false;
  let asked = 0;
  let led = 0;
  let stream = null;
  let opened = 0;
  let streamed = 0;
  let pause = 1500;
  let tries = 0;
  let ticked = Date.now();

  async function refresh() {
    wanted = true;
    if (looking) return;
    looking = true;
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), PATIENCE_MS);
    try {
      while (wanted) {
        wanted = false;
        asked = Date.now();
        const mark = await look(stop.signal);
        behind = 0;
        hears(mark);
        if (mark !== shown) shown = mark;
        if (stream) post("heard", { mark });
      }
    } catch (fault) {
      wanted = false;
      behind = behind || Date.now();
    } finally {
      clearTimeout(late);
      looking = false;
      say();
    }
  }

  function hears(mark) {
    heard = Date.now();
    if (mark && mark !== shown) {
      behind = behind || heard;
    }
  }

  function learn(mark) {
    hears(mark);
    if (mark !== shown || behind) refresh();
    say();
  }

  function say() {
    const now = Date.now();
    const old = now - heard > LOST_MS || (behind && now - behind > LOST_MS);
    tell(old ? Math.round((now - Math.min(heard, behind || heard)) / 1000) : null);
  }

  function post(kind, more) {
    if (channel) channel.postMessage(Object.assign({ kind, game, from: me }, more));
  }

  function open() {
    close();
    opened = Date.now();
    stream = new EventSource(`/api/stream?game=${encodeURIComponent(game)}&after=${from()}`);
    const mine = stream;
    const told = (mark) => {
      streamed = Date.now();
      tries = 0;
      pause = 1500;
      post("heard", { mark });
      learn(mark);
    };
    const news = () => told("news");
    stream.onmessage = news;
    stream.addEventListener("camera", news);
    stream.addEventListener("change", news);
    stream.addEventListener("beat", (event) => told(JSON.parse(event.data).mark));
    stream.addEventListener("game", (event) => {
      if (JSON.parse(event.data).game !== game) gone();
    });
    stream.onerror = () => {
      // The browser itself comes back after a lost connection, but never after an answer that is no stream.
      if (stream !== mine || mine.readyState !== EventSource.CLOSED) return;
      close();
      opened = Date.now() + pause - DEAF_MS;
      pause = Math.min(30000, 2 * pause);
      refresh();
    };
  }

  function close() {
    if (stream) stream.close();
    stream = null;
  }

  function leave() {
    if (stream) post("bye");
    close();
  }

  function letGo() {
    leave();
    if (channel) channel.close();
    channel = null;
  }

  // The page that has the stream tells the others. The channel goes with the page, which may come back from the cache.
  function tune() {
    if (channel || !("BroadcastChannel" in window)) return;
    channel = new BroadcastChannel("table");
    channel.onmessage = ({ data }) => {
      if (data.game !== game || document.hidden) return;
      if (data.kind === "hello") {
        if (stream) post("heard", { mark: shown });
        return;
      }
      if (data.kind === "bye") {
        led = Date.now() - LED_MS + 300 * Math.random();
        return;
      }
      led = Date.now();
      if (stream && data.from < me) close();
      if (data.kind === "heard") learn(data.mark);
    };
  }

  function tick() {
    const now = Date.now();
    if (now - ticked > 4000) wake();
    ticked = now;
    if (document.hidden) return;
    if (stream) post("leads");
    const patience = DEAF_MS * Math.min(8, 2 ** Math.max(0, tries - 2));
    if (stream && stream.readyState === EventSource.OPEN && now - Math.max(opened, streamed) > patience) {
      tries += 1;
      open();
    } else if (!stream && now - led > LED_MS && now - opened > DEAF_MS) {
      open();
    }
    if ((now - heard > SILENT_MS || behind) && now - asked > ASK_MS) refresh();
    say();
  }

  // Somebody looks at the page again: what it shows may be an evening old.
  function wake() {
    if (document.hidden) return;
    ticked = Date.now();
    heard = Math.max(heard, ticked - LOST_MS + WAKE_MS);
    led = 0;
    opened = 0;
    tune();
    post("hello");
    if (!channel) open();
    else setTimeout(() => !stream && !document.hidden && Date.now() - led > LED_MS && open(), 100 + 200 * Math.random());
    refresh();
  }

  addEventListener("pagehide", letGo);
  addEventListener("pageshow", (event) => event.persisted && wake());
  addEventListener("online", wake);
  addEventListener("offline", () => {
    heard = Math.min(heard, Date.now() - LOST_MS - 1);
    say();
  });
  document.addEventListener("resume", wake);
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : wake()));
  setInterval(tick, 1000);
  wake();
  return {
    heard(mark) {
      hears(mark);
      say();
    },
  };
};
