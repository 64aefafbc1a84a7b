// A page_program that runs, and what all tests of its page do.

import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {createInterface} from "node:readline";

const program = process.argv[2];
export const token = "a-token-for-tests-16";

export class Program {
  static async start(...options) {
    const result = new Program();
    result.process = spawn(program, options, {stdio: ["pipe", "pipe", "inherit"]});
    result.lines = createInterface({input: result.process.stdout})[Symbol.asyncIterator]();
    const port = await result.line("port");
    result.url = `${options[0] === "tls" ? "https" : "http"}://127.0.0.1:${port}/`;
    return result;
  }
  async line(word) {
    const {value} = await this.lines.next();
    assert.equal(value.split(" ")[0], word);
    return value.split(" ")[1];
  }
  say(line) { this.process.stdin.write(line + "\n"); }
  async stop() {
    const over = new Promise(done => this.process.on("exit", done));
    this.process.stdin.end();
    assert.equal(await over, 0);
  }
}

export const rowOf = name => `[...document.querySelectorAll("#list .row:not([hidden])")].find(row => row.textContent.includes("${name}"))`;
export const button = (where, text) => `[...document.querySelectorAll("${where} button")].find(one => one.textContent === "${text}")`;

// The page made no error, and asked nobody but its server.
export function assertIsClean(page, url) {
  assert.deepEqual(page.errors, []);
  for (const address of page.requests) assert.ok(address.startsWith(url) || address.startsWith("data:"), address);
}

// Opens the details of a sender.
export async function openSender(page, name) {
  await page.until(`!!${rowOf(name + "#")}`);
  await page.click(rowOf(name + "#"));
  await page.until(`!document.getElementById("detail").hidden`);
}

export async function confirm(page, isFirst) {
  await page.until(`document.getElementById("dialog").open`);
  if (isFirst) {
    await page.type(token);
    await page.click(`document.getElementById("operator")`);
    await page.type("anna");
  }
  await page.click(`document.getElementById("go")`);
  await page.until(`!document.getElementById("dialog").open`);
}

// Runs all tests, and returns how many have failed.
export async function run(tests) {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const begin = Date.now();
    try {
      await test();
      console.log(`ok      ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}: ${error.stack}`);
    }
  }
  return failed;
}
