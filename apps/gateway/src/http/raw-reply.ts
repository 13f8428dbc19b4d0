import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** The target of an answer: a reply of the framework, or a {@link RawReply}. */
export interface AnswerReply {
  readonly request: { readonly headers: IncomingHttpHeaders };
  header(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
  code(status: number): unknown;
  send(body?: Buffer | string): unknown;
}

/** A reply without the framework. Header names are in lower case, and each is set once. */
export class RawReply implements AnswerReply {
  private status = 200;
  private readonly headers: string[];

  /** @param common names and values, in turn, of the headers that every answer has */
  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly common: readonly string[],
  ) {
    this.headers = [...common];
  }

  header(name: string, value: string): void {
    this.headers.push(name, value);
  }

  removeHeader(name: string): void {
    const index = this.headers.indexOf(name);
    if (index >= 0) this.headers.splice(index, 2);
  }

  /** Copies the headers of this reply to the framework reply that is sent instead. */
  copyTo(reply: Pick<AnswerReply, 'header'>): void {
    for (let at = this.common.length; at < this.headers.length; at += 2) {
      reply.header(this.headers[at] ?? '', this.headers[at + 1] ?? '');
    }
  }

  code(status: number): void {
    this.status = status;
  }

  send(body?: Buffer | string): void {
    if (body !== undefined) this.headers.push('content-length', String(Buffer.byteLength(body)));
    this.response.writeHead(this.status, this.headers).end(body);
  }
}
