// A headless Chromium that is driven over a pipe, by the DevTools protocol. It needs no package.

import {spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

const pause = ms => new Promise(done => setTimeout(done, ms));

export class Browser {
  // `more` are further options.
  static async start(program, ...more) {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "browser_"));
    const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
      "--user-data-dir=" + browser.folder, ...more, "about:blank"];
    browser.process = spawn(program, options, {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    browser.process.on("error", error => { throw error; });
    browser.answers = new Map();
    browser.pages = new Map(); // by session
    browser.count = 0;
    let rest = "";
    browser.process.stdio[4].on("data", bytes => {
      const parts = (rest + bytes).split("\0");
      rest = parts.pop();
      for (const part of parts) browser.take(JSON.parse(part));
    });
    return browser;
  }

  take(message) {
    if (message.id) {
      this.answers.get(message.id)(message);
      this.answers.delete(message.id);
    } else if (this.pages.has(message.sessionId)) {
      this.pages.get(message.sessionId).take(message.method, message.params);
    }
  }

  async send(method, params = {}, sessionId) {
    const id = ++this.count;
    const answer = new Promise(done => this.answers.set(id, done));
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
    const message = await answer;
    if (message.error) throw new Error(method + ": " + message.error.message);
    return message.result;
  }

  async open(url, {width = 1200, height = 900, scheme = "light"} = {}) {
    const {targetId} = await this.send("Target.createTarget", {url: "about:blank"});
    const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    for (const domain of ["Runtime", "Log", "Network", "Page"]) await page.send(domain + ".enable");
    await page.send("Emulation.setDeviceMetricsOverride", {width, height, deviceScaleFactor: 1, mobile: width < 500});
    await page.send("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: scheme}]});
    page.failure = (await page.send("Page.navigate", {url})).errorText ?? ""; // why it cannot be loaded
    return page;
  }

  async stop() {
    const over = new Promise(done => this.process.on("exit", done));
    this.process.kill();
    await over;
    // Processes of the browser may still write there.
    for (let tries = 0; tries < 100; ++tries) {
      try {
        return rmSync(this.folder, {recursive: true, force: true});
      } catch {
        await new Promise(done => setTimeout(done, 100));
      }
    }
    throw new Error(`cannot remove ${this.folder}`);
  }
}

class Page {
  constructor(browser, sessionId, targetId) {
    Object.assign(this, {browser, sessionId, targetId});
    this.errors = [];   // of the console
    this.requests = []; // the addresses
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  take(method, params) {
    if (method === "Runtime.exceptionThrown")
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === "Runtime.consoleAPICalled" && params.type === "error")
      this.errors.push(JSON.stringify(params.args));
    else if (method === "Log.entryAdded" && params.entry.level === "error")
      this.errors.push(params.entry.text + " " + (params.entry.url ?? ""));
    else if (method === "Network.requestWillBeSent")
      this.requests.push(params.request.url);
  }

  // The value of an expression in the page.
  async get(expression) {
    const {result, exceptionDetails} =
      await this.send("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true});
    if (exceptionDetails)
      throw new Error(expression + ": " + (exceptionDetails.exception?.description ?? exceptionDetails.text));
    return result.value;
  }

  // Waits until an expression is true, and returns its value and how long that took, in ms. It may
  // throw until then, such as while the page is loaded.
  async until(expression, limit = 30000) {
    const begin = Date.now();
    for (;;) {
      let value = false, error = "";
      try { value = await this.get(expression); } catch (thrown) { error = ": " + thrown.message; }
      const took = Date.now() - begin;
      if (value) return {value, took};
      if (took > limit) throw new Error("not true in " + limit + " ms: " + expression + error);
      await pause(20);
    }
  }

  // Presses the mouse in the middle of an element, as a person would.
  async click(expression) {
    const {x, y} = await this.get(`(() => { const element = ${expression}; element.scrollIntoView({block: "nearest"});
      const box = element.getBoundingClientRect(); return {x: box.x + box.width / 2, y: box.y + box.height / 2}; })()`);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", {type, x, y, button: "left", clickCount: 1});
  }

  async type(text) { await this.send("Input.insertText", {text}); }

  async press(key, text = "") {
    await this.send("Input.dispatchKeyEvent", {type: text ? "keyDown" : "rawKeyDown", key, text, code: key,
      windowsVirtualKeyCode: {Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, End: 35, Home: 36}[key] ?? 0});
    await this.send("Input.dispatchKeyEvent", {type: "keyUp", key, code: key});
  }

  async picture(path) {
    const {data} = await this.send("Page.captureScreenshot");
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  async close() { await this.browser.send("Target.closeTarget", {targetId: this.targetId}); }
}
