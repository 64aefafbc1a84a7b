// Tests the live page by HTTPS in a browser.
//
// usage: node page_by_tls_test.mjs PROGRAM BROWSER
//
// PROGRAM is page_program. It makes its certificate itself, which no browser trusts. A browser that is told the hash of
// the certificate's key takes this one, and no other.

import assert from "node:assert/strict";
import {createServer} from "node:http";
import {request} from "node:https";
import {Browser} from "./browser.mjs";
import {assertIsClean, button, confirm, openSender, Program, rowOf, run, token} from "./page_program.mjs";

const browserProgram = process.argv[3];
const server = await Program.start("tls", token);
const browser = await Browser.start(browserProgram, "--ignore-certificate-errors-spki-list=" + (await server.line("key")));
const {port} = new URL(server.url);

// Opens the page, and waits until it has heard from its server.
async function openLive() {
  const page = await browser.open(server.url);
  assert.equal(page.failure, "");
  await page.until(`document.getElementById("state").textContent === "live"`);
  return page;
}

// A program that watches says how `mail` stands, whatever a stranger was told.
const isPaused = watcher => watcher.get(`${rowOf("mail#")}.textContent.includes("paused")`);

async function pauseOrResume(page, action, isFirst) {
  await page.until(`!!${button("#sender-actions", action)}`);
  await page.click(button("#sender-actions", action));
  await confirm(page, isFirst);
}

// The address at which `mail` is resumed.
async function addressToResume(watcher) {
  await watcher.until(`!!${rowOf("mail#")}`);
  const name = await watcher.get(`[...senders.values()].map(nameOf).find(name => name.startsWith("mail"))`);
  return `${server.url}act/resume?sender=${encodeURIComponent(name)}`;
}

// What the server answers to a request that no browser makes. Only a test may take any certificate.
function ask(address, headers) {
  return new Promise((done, fail) => {
    const asked = request(address, {method: "POST", rejectUnauthorized: false, headers: {Authorization: "Bearer " + token,
      "X-Operator": "eve", ...headers}}, answer => { answer.resume(); done(answer.statusCode); });
    asked.on("error", fail);
    asked.end();
  });
}

// What becomes of the requests that a page of another origin makes.
async function assertCanDoNothing(page, address) {
  const outcome = options => page.get(`fetch(${JSON.stringify(address)}, ${JSON.stringify(options)})
    .then(answer => answer.type + " " + answer.status, error => "refused")`);
  assert.equal(await outcome({method: "POST", headers: {Authorization: "Bearer " + token, "X-Operator": "eve"}}), "refused");
  assert.equal(await outcome({method: "POST", mode: "no-cors"}), "opaque 0");
  assert.equal(await page.get(`fetch(${JSON.stringify(server.url + "events")}).then(() => "read", () => "refused")`), "refused");
  // A form leads to the answer, which says why.
  await page.get(`(() => { const form = document.createElement("form"); form.method = "post";
    form.action = ${JSON.stringify(address)}; document.body.append(form); form.submit(); })()`);
  await page.until(`document.body.textContent.includes("the request comes from a page of another site")`);
  assert.equal(await page.get(`location.origin + "/"`), server.url);
}

const tests = {
  async a_crash_is_seen_and_a_connection_is_secure() {
    const page = await openLive();
    assert.equal(await page.get(`isSecureContext && location.protocol`), "https:");
    await page.until(`!!${rowOf("orders#")}?.textContent.includes("running")`);
    server.say("crash");
    await page.until(`!!${rowOf("orders#")}?.textContent.includes("waiting")`);
    server.say("retry");
    await page.until(`!!${rowOf("orders#")}?.textContent.includes("running")`);
    assertIsClean(page, server.url);
    await page.close();
  },

  async a_sender_is_resumed_and_paused_by_clicks_with_the_token() {
    const page = await openLive();
    await openSender(page, "mail");
    assert.equal(await isPaused(page), true);
    await pauseOrResume(page, "Resume", true);
    await page.until(`!!${rowOf("mail#")}?.textContent.includes("running")`);
    await pauseOrResume(page, "Pause", false);
    await page.until(`!!${rowOf("mail#")}?.textContent.includes("paused")`);
    assertIsClean(page, server.url);
    await page.close();
  },

  async a_page_of_a_stranger_can_do_nothing() {
    const stranger = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end("<!doctype html><title>stranger</title><body></body>");
    });
    await new Promise(done => stranger.listen(0, "127.0.0.1", done));
    const watcher = await openLive();
    const address = await addressToResume(watcher);
    for (const host of ["127.0.0.1", "localhost"]) {
      const page = await browser.open(`http://${host}:${stranger.address().port}/`);
      await page.until(`document.title === "stranger"`);
      await assertCanDoNothing(page, address);
      await page.close();
    }
    assert.equal(await isPaused(watcher), true);
    assertIsClean(watcher, server.url);
    await watcher.close();
    stranger.close();
  },

  // Whoever is between the browser and the server can make such a page.
  async a_page_of_the_same_host_and_port_by_http_can_do_nothing() {
    const watcher = await openLive();
    const address = await addressToResume(watcher);
    const page = await browser.open(`http://127.0.0.1:${port}/`);
    await page.until(`document.body.textContent.includes("these pages are encrypted: begin with https")`);
    assert.equal(await page.get(`location.origin`), `http://127.0.0.1:${port}`);
    await assertCanDoNothing(page, address);
    assert.equal(await isPaused(watcher), true);
    await page.close();
    await watcher.close();
  },

  async the_server_itself_refuses_another_origin_though_it_has_the_token() {
    const watcher = await openLive();
    const address = await addressToResume(watcher);
    for (const headers of [{Origin: `http://127.0.0.1:${port}`}, {Origin: "https://127.0.0.1"},
      {Origin: "https://stranger.example"}, {Origin: "null"}, {"Sec-Fetch-Site": "cross-site"}])
      assert.equal(await ask(address, headers), 403, JSON.stringify(headers));
    assert.equal(await isPaused(watcher), true);
    assert.equal(await ask(address, {Origin: `https://127.0.0.1:${port}`}), 200);
    await watcher.until(`!!${rowOf("mail#")}?.textContent.includes("running")`);
    await watcher.close();
  },

  async a_browser_shows_no_page_of_another_key_or_without_trust() {
    const other = await Program.start("tls", token);
    const page = await browser.open(other.url);
    assert.equal(page.failure, "net::ERR_CERT_AUTHORITY_INVALID");
    await page.close();
    await other.stop();
    const distrustful = await Browser.start(browserProgram);
    const refused = await distrustful.open(server.url);
    assert.equal(refused.failure, "net::ERR_CERT_AUTHORITY_INVALID");
    assert.equal(await refused.get(`typeof senders`), "undefined");
    await distrustful.stop();
  },
};

const failed = await run(tests);
await browser.stop();
await server.stop();
process.exit(failed === 0 ? 0 : 1);
