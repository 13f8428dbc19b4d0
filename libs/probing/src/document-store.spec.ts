import { DocumentPool, ProbeDocuments } from './document-store';

const LIMITS = { ownDocumentBytes: 100, probeDocumentBytes: 500 };

describe('the documents of a probe', () => {
  it('use their own memory first, then the pool', () => {
    const pool = new DocumentPool(150);
    const [first, second] = [new ProbeDocuments(pool, LIMITS), new ProbeDocuments(pool, LIMITS)];
    expect(first.keep(220)).toBe(220);
    expect(second.keep(200)).toBe(130);
    expect(first.keep(1)).toBe(0);
  });

  it('are limited per probe, however large the pool is', () => {
    const documents = new ProbeDocuments(new DocumentPool(10_000), LIMITS);
    expect([documents.keep(400), documents.keep(400), documents.keep(1)]).toEqual([400, 100, 0]);
  });

  it('release memory that they do not need', () => {
    const pool = new DocumentPool(50);
    const documents = new ProbeDocuments(pool, LIMITS);
    expect(documents.keep(150)).toBe(150);
    documents.drop(80);
    expect([documents.keep(200), pool.take(1)]).toEqual([80, 0]);
  });

  it('return their memory to the pool when the probe ends, even if they arrive late', () => {
    const pool = new DocumentPool(50);
    const documents = new ProbeDocuments(pool, LIMITS);
    documents.keep(120);
    documents.close();
    expect(documents.keep(150)).toBe(0);
    documents.drop(20); // its reader failed after the end
    expect(pool.take(1_000)).toBe(50);
  });
});
