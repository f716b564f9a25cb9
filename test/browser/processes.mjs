// The programs under test: a simulated cluster, and `reconcile-watch serve` over it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const running = new Set();

function start(program, words, environment = {}) {
  const child = spawn(program, words, { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment }, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** The first line of a stream that fits; an error when the program ends before. */
async function lineOf(child, stream, pattern) {
  const seen = [];
  for await (const line of createInterface({ input: stream })) {
    seen.push(line);
    if (pattern.test(line)) return line;
  }
  throw new Error(`ended before it said ${pattern}: ${seen.join("\n")}`);
}

export async function stop(child) {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

export function stopAll() {
  for (const child of running) child.kill("SIGKILL");
}

export async function run(program, words, environment = {}) {
  const child = start(program, words, environment);
  let out = "";
  let err = "";
  child.stdout.on("data", (bytes) => (out += bytes));
  child.stderr.on("data", (bytes) => (err += bytes));
  await once(child, "close");
  return { code: child.exitCode, out, err };
}

/** sim-clickhouse with its control port. */
export class Cluster {
  static async start(bin, words = []) {
    const cluster = new Cluster();
    cluster.child = start(`${bin}/sim-clickhouse`, words);
    cluster.ports = JSON.parse(await lineOf(cluster.child, cluster.child.stdout, /^\{/));
    cluster.child.stdout.resume();
    cluster.child.stderr.resume();
    return cluster;
  }

  urls(chosen) {
    return (chosen || this.ports.urls.map((_, i) => i)).flatMap((i) => ["--url", this.ports.urls[i]]);
  }

  async control(method, path, body) {
    const answer = await fetch(this.ports.control_url + path, { method, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : {};
  }

  /** Requests that changed something, as the cluster itself counted them. */
  async mutations() {
    const { requests } = await this.control("GET", "/truth");
    const changing = ["create_facade", "create_candidate", "insert_rows", "authority_insert", "authority_update", "exchange", "rename", "drop"];
    return changing.reduce((sum, name) => sum + (requests[name] || 0), 0);
  }

  stop() {
    return stop(this.child);
  }
}

/** `reconcile-watch serve` on a port that the system chose. */
export class Server {
  static async start(bin, words, environment = {}) {
    const server = new Server();
    server.child = start(`${bin}/reconcile-watch`, ["serve", "--listen", "127.0.0.1:0", "--interval", "1s", ...words], environment);
    server.child.stdout.resume();
    const line = await lineOf(server.child, server.child.stderr, /serving on http:/);
    server.child.stderr.resume();
    server.url = line.match(/http:\S+/)[0];
    return server;
  }

  stop() {
    return stop(this.child);
  }
}
