import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { busy, refusal, type App } from './app.ts';
import { bodySizeMax } from './contract.ts';

/** Serves connections that somebody else accepts. */
export interface Door {
  accept(socket: Socket): void;
  /** Until then everybody is told to ask again. */
  open(app: App): void;
  /** What is under way may be answered still, for a short time. */
  close(): Promise<void>;
}

export interface DoorOptions {
  /** How long a request may take to come in, and its answer to go out. */
  readonly transferMs?: number;
  readonly connectionsMax?: number;
  /** How long `close` waits for answers. */
  readonly drainMs?: number;
}

const headersSizeMax = 8_192;

/** One request for each connection; what is too large, too slow or too many is cut off, so that no client holds up the worker. */
export function createDoor(options: DoorOptions = {}): Door {
  return new HttpDoor(options);
}

class HttpDoor implements Door {
  readonly #transferMs: number;
  readonly #connectionsMax: number;
  readonly #drainMs: number;
  readonly #server = createServer({ keepAlive: false, maxHeaderSize: headersSizeMax });
  /** With the time that is left for what is on its way. */
  readonly #deadlines = new Map<Socket, NodeJS.Timeout>();
  readonly #underWay = new Set<Promise<void>>();
  #app: App = busy;
  #isClosed = false;

  constructor({ transferMs = 10_000, connectionsMax = 32, drainMs = 1_000 }: DoorOptions) {
    this.#transferMs = transferMs;
    this.#connectionsMax = connectionsMax;
    this.#drainMs = drainMs;
    this.#server.on('clientError', (_, socket) => socket.destroy());
    this.#server.on('request', (request, response) => {
      const work = this.#serve(request, response)
        .catch(() => request.socket.destroy())
        .then(() => {
          this.#underWay.delete(work);
        });
      this.#underWay.add(work);
    });
  }

  accept(socket: Socket): void {
    if (this.#isClosed || this.#deadlines.size >= this.#connectionsMax) {
      socket.destroy();
      return;
    }
    this.#giveTime(socket);
    socket.on('close', () => {
      clearTimeout(this.#deadlines.get(socket));
      this.#deadlines.delete(socket);
    });
    // It never listens itself, so its own time limits do not work.
    this.#server.emit('connection', socket);
  }

  open(app: App): void {
    this.#app = app;
  }

  async close(): Promise<void> {
    this.#app = busy;
    this.#isClosed = true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#drainMs)));
    await Promise.race([Promise.all(this.#underWay), late]);
    clearTimeout(timer);
    for (const socket of this.#deadlines.keys()) socket.destroy();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method = '', url = '' } = request;
    const gone = new AbortController();
    response.on('close', () => {
      gone.abort();
    });
    const body = await bodyOf(request);
    clearTimeout(this.#deadlines.get(socket));
    const answer =
      body === undefined
        ? refusal(413, `the body has more than ${bodySizeMax} bytes`)
        : await this.#app({ method, url, body, signal: gone.signal });
    if (gone.signal.aborted) return;
    response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
    const last =
      typeof answer.body === 'string' ? answer.body : await answer.body(this.#telling(response, socket));
    if (gone.signal.aborted) return;
    this.#giveTime(socket);
    await new Promise<void>((resolve) => {
      response.on('close', resolve);
      response.end(last);
    });
  }

  /** Whoever does not take what is told is told no more, and cut off when it takes nothing for long. */
  #telling(response: ServerResponse, socket: Socket): (text: string) => void {
    response.on('drain', () => {
      clearTimeout(this.#deadlines.get(socket));
    });
    return (text) => {
      if (response.destroyed || response.writableNeedDrain) return;
      if (!response.write(text)) this.#giveTime(socket);
    };
  }

  #giveTime(socket: Socket): void {
    clearTimeout(this.#deadlines.get(socket));
    if (socket.destroyed) return;
    const late = setTimeout(() => socket.destroy(), this.#transferMs);
    this.#deadlines.set(socket, late);
  }
}

/** Nothing = it is too large. Rejects if it does not come to its end. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > bodySizeMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
