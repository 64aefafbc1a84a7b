// Tests the live page in a browser.
//
// usage: node page_test.mjs PROGRAM BROWSER [PICTURES]
//
// PROGRAM is page_program. With a folder for PICTURES it also takes some. That of the README becomes small by
// `convert page_readme.png +dither -colors 64 PNG8:docs/live_page.png`.

import assert from "node:assert/strict";
import {createServer} from "node:http";
import {Browser} from "./browser.mjs";
import {assertIsClean, button, confirm, openSender, Program, rowOf, run, token} from "./page_program.mjs";

const [, browserProgram, pictures] = process.argv.slice(2);
const browser = await Browser.start(browserProgram);
const picture = async (page, name) => { if (pictures) await page.picture(`${pictures}/page_${name}.png`); };

const tests = {
  async a_crash_is_seen_within_a_second() {
    const server = await Program.start("actors");
    const page = await browser.open(server.url);
    await page.until(`!!${rowOf("orders#")}?.textContent.includes("running")`);
    await page.until(`document.getElementById("state").textContent === "live"`);
    // The best of a few, as the machine may be busy. Between two of them the sender is told to retry.
    let best = Infinity;
    for (let i = 0; i !== 5 && best >= 1000; ++i) {
      if (i !== 0) server.say("retry");
      await page.until(`!!${rowOf("orders#")}?.textContent.includes("running")`);
      server.say("crash");
      best = Math.min(best, (await page.until(`!!${rowOf("orders#")}?.textContent.includes("waiting")`)).took);
    }
    assert.ok(best < 1000, `it took ${best} ms`);
    const text = await page.get(`document.getElementById("stuck").textContent`);
    assert.match(text, /waiting.*orders#.*1.*Danger, High Voltage!/s, "what, since when, why");
    await picture(page, "light");
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async without_a_token_nothing_can_be_done() {
    const server = await Program.start("actors");
    const page = await browser.open(server.url);
    await openSender(page, "mail");
    assert.equal(await page.get(`document.querySelectorAll("#actions button").length`), 0);
    assert.equal(await page.get(`fetch("act/pause", {method: "POST"}).then(answer => answer.status)`), 404);
    assert.equal(await page.get(`fetch("letters").then(answer => answer.status)`), 404);
    await page.close();
    await server.stop();
  },

  async a_paused_sender_resumes_by_a_click() {
    const server = await Program.start("actors", token);
    const page = await browser.open(server.url);
    await page.until(`!!${rowOf("mail#")}?.textContent.includes("paused")`);
    await openSender(page, "mail");
    await page.click(button("#sender-actions", "Resume"));
    await picture(page, "dialog");
    await confirm(page, true);
    await page.until(`!!${rowOf("mail#")}?.textContent.includes("running")`);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async a_wrong_token_does_nothing() {
    const server = await Program.start("actors", token);
    const page = await browser.open(server.url);
    await openSender(page, "mail");
    await page.click(button("#sender-actions", "Resume"));
    await page.until(`document.getElementById("dialog").open`);
    await page.type("a wrong token");
    await page.click(`document.getElementById("operator")`);
    await page.type("anna");
    await page.press("Enter", "\r");
    await page.until(`document.querySelector("#dialog .bad").textContent.includes("no valid token")`);
    assert.match(await page.get(`${rowOf("mail#")}.textContent`), /paused/);
    await page.close();
    await server.stop();
  },

  async a_dead_letter_is_resubmitted_and_gone() {
    const server = await Program.start("actors", token);
    const page = await browser.open(server.url);
    await openSender(page, "parser");
    await page.until(`document.getElementById("facts").textContent.includes("dead letters3")`);
    server.say("mend");
    await page.click(`document.getElementById("show-letters")`);
    await confirm(page, true);
    await page.until(`document.querySelectorAll("#letters .letter").length === 3`);
    assert.match(await page.get(`document.getElementById("letters").textContent`), /cannot parse poison 1/);
    await picture(page, "letters");
    const before = await (server.say("done"), server.line("done"));
    await page.click(button("#letters .letter:last-child", "Resubmit"));
    await confirm(page, false);
    await page.until(`document.querySelectorAll("#letters .letter").length === 2`);
    assert.doesNotMatch(await page.get(`document.getElementById("letters").textContent`), /poison 1/);
    assert.equal(+(await (server.say("done"), server.line("done"))), +before + 1);
    await page.click(button("#letters", "Remove all that match"));
    await confirm(page, false);
    await page.until(`document.getElementById("letters").textContent.includes("There is no such dead letter.")`);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async dead_letters_that_are_there_are_in_the_header_and_in_what_is_stuck() {
    const server = await Program.start("actors", token);
    const page = await browser.open(server.url);
    await page.until(`document.getElementById("sum-letters").textContent === "3"`);
    assert.equal(await page.get(`document.getElementById("letters-there").hidden`), false);
    assert.equal(await page.get(`getComputedStyle(document.getElementById("sum-letters")).color`),
      await page.get(`(() => { const one = document.createElement("b"); one.className = "bad"; document.body.append(one);
        const color = getComputedStyle(one).color; one.remove(); return color; })()`), "it is red");
    const line = `[...document.querySelectorAll("#stuck tbody tr")].find(row => row.textContent.includes("parser#"))?.textContent`;
    assert.match(await page.get(line), /✉ dead letters.*parser#\d+.*\(.*s\).*3 dead letters are there/);
    await picture(page, "letters_left");
    await page.click(button("#stuck", await page.get(`[...senders.values()].map(nameOf).find(name => name.startsWith("parser"))`)));
    await page.until(`!document.getElementById("detail").hidden`);
    await page.click(`document.getElementById("show-letters")`);
    await confirm(page, true);
    await page.until(`document.querySelectorAll("#letters .letter").length === 3`);
    await page.click(button("#letters", "Remove all that match"));
    await confirm(page, false);
    await page.until(`document.getElementById("letters-there").hidden`);
    assert.equal(await page.get(line), undefined);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async an_open_breaker_has_since_when_and_its_next_probe() {
    const server = await Program.start("actors");
    const page = await browser.open(server.url);
    await page.until(`document.getElementById("guards")?.textContent.includes("open")`);
    const guard = `[...document.querySelectorAll("#guards tbody tr")].find(row => row.textContent.includes("shipping")).textContent`;
    assert.match(await page.get(guard), /shipping✕ open.*\(.* s\)in 59 min/);
    const line = `[...document.querySelectorAll("#stuck tbody tr")].find(row => row.textContent.includes("shipping")).textContent`;
    assert.match(await page.get(line), /open.*guard shipping.*\(.* s\).*The next probe is in 59 min/);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async no_column_is_cut_off_at_any_width() {
    const server = await Program.start("actors");
    server.say("crash");
    for (const width of [1400, 1120, 1000, 900, 881, 880, 700, 390]) {
      const page = await browser.open(server.url, {width});
      await page.until(`!!${rowOf("orders#")}?.textContent.includes("waiting")`);
      const beyond = await page.get(`[...document.querySelectorAll("#list .row:not([hidden]) > *, #columns > *")].filter(one =>
        one.offsetParent && one.getBoundingClientRect().right > document.querySelector("#list").getBoundingClientRect().right + .5)
        .map(one => one.className + ": " + one.textContent)`);
      assert.deepEqual(beyond, [], `at ${width}`);
      assert.equal(await page.get(`document.documentElement.scrollWidth <= innerWidth`), true, `at ${width} it is too wide`);
      if (width === 900) await picture(page, "half_a_laptop");
      await page.close();
    }
    await server.stop();
  },

  async a_breaker_is_closed_by_a_click() {
    const server = await Program.start("actors", token);
    const page = await browser.open(server.url);
    await page.until(`document.getElementById("guards")?.textContent.includes("isolated")`);
    await page.click(button("#guards", "Close guard"));
    await confirm(page, true);
    await page.until(`document.getElementById("guards").textContent.includes("closed")`);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async a_page_of_a_stranger_can_do_nothing() {
    const server = await Program.start("actors", token);
    const stranger = createServer((request, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end("<!doctype html><title>stranger</title>");
    });
    await new Promise(done => stranger.listen(0, "127.0.0.1", done));
    const watcher = await browser.open(server.url);
    await watcher.until(`!!${rowOf("mail#")}`);
    const name = await watcher.get(`[...senders.values()].map(nameOf).find(name => name.startsWith("mail"))`);
    const page = await browser.open(`http://127.0.0.1:${stranger.address().port}/`);
    await page.until(`document.title === "stranger"`);
    const address = server.url + "act/resume?sender=" + encodeURIComponent(name);
    // Even one who knows the token may not ask with it: the browser asks the server before.
    const outcome = options => page.get(`fetch(${JSON.stringify(address)}, ${JSON.stringify(options)})
      .then(answer => answer.type + " " + answer.status, error => "refused")`);
    assert.equal(await outcome({method: "POST", headers: {Authorization: "Bearer " + token, "X-Operator": "eve"}}), "refused");
    assert.equal(await outcome({method: "POST", mode: "no-cors"}), "opaque 0");
    assert.equal(await page.get(`fetch(${JSON.stringify(server.url + "events")}).then(() => "read", () => "refused")`), "refused");
    assert.equal(await page.get(`new Promise(done => { const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(server.url)}; frame.onload = () => {
        try { done(frame.contentDocument ? "empty" : "not readable"); } catch { done("not readable"); } };
      document.body.append(frame); })`), "not readable");
    await new Promise(done => setTimeout(done, 700));
    assert.match(await watcher.get(`${rowOf("mail#")}.textContent`), /paused/);
    await page.close();
    await watcher.close();
    stranger.close();
    await server.stop();
  },

  async a_child_is_seen_below_its_supervisor_and_folds_by_keyboard() {
    const server = await Program.start("tree");
    const page = await browser.open(server.url);
    // Depth and name of each row in sight, as the page says it to a reader of the screen.
    const rows = `rowElements.filter(row => !row.element.hidden).map(row => row.element)
      .sort((a, b) => a.index - b.index).map(row => row.getAttribute("aria-level") + " "
        + row.querySelector(".name").textContent.replace(/#\\d+/, "#"))`;
    const becomes = async wanted => page.until(`JSON.stringify(${rows}) === ${JSON.stringify(JSON.stringify(wanted))}`);
    const shop = ["1 ▾ shop#", "2 ▾ mailing#", "3 ▾ mail (2)", "4 mail#", "4 mail#", "2 orders#"];
    const alone = ["1 ▾ alone (1)", "2 alone#"];
    await becomes([...shop, ...alone]);
    assert.match(await page.get(`${rowOf("shop#")}.textContent`), /children: ▶ 2 running/);
    await picture(page, "tree");
    await page.get(`(list.focus(), 0)`);
    await page.press("Home");
    await page.press("ArrowDown");
    await page.press("ArrowLeft"); // folds `mailing`
    await becomes(["1 ▾ shop#", "2 ▸ mailing#", "2 orders#", ...alone]);
    assert.equal(await page.get(`${rowOf("mailing#")}.getAttribute("aria-expanded")`), "false");
    await page.press("ArrowLeft"); // chooses `shop`
    await page.press("ArrowLeft"); // folds it
    await becomes(["1 ▸ shop#", ...alone]);
    await page.press("ArrowRight");
    await page.press("ArrowRight"); // chooses `mailing`
    await page.press("ArrowRight");
    await becomes([...shop, ...alone]);
    await page.press("ArrowRight"); // `mail`
    await page.press("ArrowRight"); // its first
    await page.press("Enter");
    await page.until(`document.getElementById("detail-title")?.textContent.startsWith("mail#")`);
    assert.match(await page.get(`document.getElementById("facts").textContent`), /supervisorshop#\d+ \/ mailing#\d+/);
    await page.press("Escape");
    await page.click(`document.getElementById("find")`);
    await page.type("mailing"); // a supervisor: all that is below it
    await becomes(shop.slice(0, 5));
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async a_tree_of_ten_thousand_unfolds() {
    const server = await Program.start("many");
    const page = await browser.open(server.url);
    await page.until(`view.length === 7 && view[2].senders === 2500`);
    assert.deepEqual(await page.get(`view.map(x => x.depth + " " + titleOf(x).split("#")[0] + " " + x.senders)`),
      ["0 shop 7500", "1 billing 5000", "2 invoices 2500", "2 orders 2500", "1 mailing 2500", "2 mail 2500", "0 search_index 2500"]);
    await page.get(`(list.focus(), 0)`);
    for (const key of ["Home", "ArrowDown", "ArrowDown"]) await page.press(key);
    const {took} = await (page.press("ArrowRight"), page.until(`view.length === 2507`));
    assert.ok(took < 1000, `it took ${took} ms`);
    await picture(page, "tree_many");
    await page.press("End");
    await page.until(`rowElements.some(row => !row.element.hidden && row.element.index === 2506)`);
    const count = await page.get(`document.querySelectorAll("#list .row").length`);
    assert.ok(count < 100, `${count} rows are in the page`);
    // How long the page works at each look.
    const work = await page.get(`(() => { const begin = performance.now(); arrange(); draw(); return performance.now() - begin; })()`);
    assert.ok(work < 250, `it takes ${work} ms`);
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async ten_thousand_senders_scroll() {
    const server = await Program.start("many");
    const page = await browser.open(server.url);
    await page.until(`senders.size === 10000`);
    await page.until(`view.length === 7`); // three supervisors, and four kinds below them
    await page.press("g", "g");
    assert.deepEqual(await page.get(`view.map(x => x.isGroup)`), [true, true, true, true], "by kind");
    await page.press("g", "g");
    await page.until(`view.length === 10000`);
    await page.click(`document.getElementById("list")`);
    await page.press("Escape");
    await page.get(`(list.focus(), 0)`);
    await page.press("End");
    await page.until(`rowElements.some(row => !row.element.hidden && row.element.index === 9999)`);
    const rows = await page.get(`document.querySelectorAll("#list .row").length`);
    assert.ok(rows < 100, `${rows} rows are in the page`);
    // A frame of the browser while it scrolls, the slowest of the quicker nine tenths. The best of a few, as the machine
    // may be busy.
    let slow = Infinity;
    for (let i = 0; i !== 5 && slow >= 250; ++i) slow = Math.min(slow, await page.get(`(async () => {
      const times = [];
      let last = performance.now();
      for (let i = 0; i < 100; ++i) {
        list.scrollTop = (i * 7919) % 290000;
        await new Promise(done => requestAnimationFrame(done));
        times.push(performance.now() - last);
        last = performance.now();
      }
      return times.sort((a, b) => a - b)[90];
    })()`));
    assert.ok(slow < 250, `it takes ${slow} ms`);
    await page.click(`document.getElementById("find")`);
    await page.type("connection refused");
    await page.until(`view.length === 1000`);
    await picture(page, "many");
    assertIsClean(page, server.url);
    await page.close();
    await server.stop();
  },

  async dark_and_narrow_pages_have_all_they_need() {
    const server = await Program.start("actors");
    server.say("crash");
    const page = await browser.open(server.url, {width: 390, height: 844, scheme: "dark"});
    await page.until(`!!${rowOf("orders#")}?.textContent.includes("waiting")`);
    assert.equal(await page.get(`document.documentElement.dataset.theme`), "dark");
    assert.equal(await page.get(`document.documentElement.scrollWidth <= innerWidth`), true, "it is too wide");
    await picture(page, "narrow");
    await page.press("t", "t");
    assert.equal(await page.get(`document.documentElement.dataset.theme`), "light");
    await page.close();
    const wide = await browser.open(server.url, {scheme: "dark"});
    await wide.until(`document.documentElement.dataset.theme === "light"`); // it was kept
    await wide.press("t", "t");
    await wide.until(`!!${rowOf("orders#")}`);
    await picture(wide, "dark");
    assertIsClean(wide, server.url);
    await wide.close();
    await server.stop();
  },

  async the_page_comes_back_when_its_server_does() {
    const server = await Program.start("actors");
    const page = await browser.open(server.url);
    await page.until(`document.getElementById("state").textContent === "live"`);
    await server.stop();
    await page.until(`document.getElementById("state").textContent.includes("no connection")`);
    await page.close();
  },
};

if (pictures)
  tests.the_picture_of_the_readme_is_taken = async () => {
    const server = await Program.start("many");
    const page = await browser.open(server.url, {height: 760});
    await page.until(`frames > 50`, 60000); // then the lines have something to show
    await page.click(rowOf("mail "));
    await page.until(`view.length === 2507`);
    await page.click(`document.querySelector("h1")`);
    await page.get(`(choose(null), document.activeElement.blur(), draw(), 0)`);
    await picture(page, "readme");
    await page.close();
    await server.stop();
  };

const failed = await run(tests);
await browser.stop();
process.exit(failed === 0 ? 0 : 1);
