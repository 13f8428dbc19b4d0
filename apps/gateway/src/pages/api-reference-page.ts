import type { OpenApiDocument } from '../routes/openapi-document';
import type { Operation } from '../routes/operation';
import type { Response } from '../routes/responses';
import type { Members, Ref } from '../routes/schema';
import { html, type Html } from '../http/html';
import { PATHS } from '../http/paths';
import { copyButton } from './layout/page';
import { definePage } from './page-definition';
import { schemaSections } from './schema-list';

export const apiReference = definePage({
  path: PATHS.reference,
  operationId: 'api_reference',
  summary: 'API reference',
  content: ({ document, site: { baseUrl } }) => ({
    title: 'API reference',
    description: 'Every API call: its price, a request to copy, and its responses.',
    canonical: `${baseUrl}${PATHS.reference}`,
    body: referenceOf(document),
  }),
});

function referenceOf(document: OpenApiDocument): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]: [string, Operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    calls: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const first = operations[0];
  return html`<header class="plain-head">
      <h1>API reference</h1>
      <p>${document.info['description'] as string}</p>
      <p>
        See also the <a href="/openapi.json">OpenAPI document</a>, <a href="/errors">error codes</a> and
        <a href="/pricing">pricing</a>.
      </p>
    </header>
    <section aria-labelledby="first">
      <h2 id="first">Your first call</h2>
      <p>Read the latest report for a host. It is free and needs no key or account.</p>
      ${first && sampleOf(first.operation, 'first-sample')}
    </section>
    <nav aria-label="Calls">
      <ul class="plain">
        ${groups.map(
          ({ name, calls }) =>
            html`<li>
              <a href="#tag-${name}">${name}</a>:
              ${calls.map(
                ({ operation }, index) =>
                  html`${index > 0 && ', '}<a href="#${operation.operationId}">${operation.summary}</a>`,
              )}
            </li>`,
        )}
        <li><a href="#answers">Response types</a></li>
      </ul>
    </nav>
    ${groups.map(
      ({ name, description, calls }) =>
        html`<section aria-labelledby="tag-${name}">
          <h2 id="tag-${name}">${name}</h2>
          <p class="soft">${description}</p>
          ${calls.map((call) => callOf(document, call))}
        </section>`,
    )}
    <section aria-labelledby="answers">
      <h2 id="answers">Response types</h2>
      <p class="soft">Members marked with a question mark may be missing. Later versions may add members.</p>
      ${schemaSections(document.components)}
    </section>`;
}

interface Call {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function callOf(document: OpenApiDocument, { path, method, operation }: Call): Html {
  const { operationId, summary, description } = operation;
  return html`<article class="call" id="${operationId}">
    <h3>${summary}</h3>
    <p><code>${method.toUpperCase()} ${path}</code></p>
    <p>${description}</p>
    ${sampleOf(operation, `sample-${operationId}`)} ${parametersOf(document, operation)}
    <dl class="reasons">
      ${Object.entries(operation.responses).map(([status, one]) => {
        const answer = '$ref' in one ? document.components.responses[nameIn(one)] : one;
        return html`<div>
          <dt><code>${status}</code></dt>
          <dd>${answer?.description} ${answer && schemaLinks(answer)}</dd>
        </div>`;
      })}
    </dl>
  </article>`;
}

function sampleOf(operation: Operation, id: string): Html {
  const [sample] = operation['x-codeSamples'] ?? [];
  return html`<div class="copyable">
    <pre id="${id}" tabindex="0" aria-label="Request: ${operation.summary}">${sample?.source}</pre>
    ${copyButton(id, 'Copy')}
  </div>`;
}

function parametersOf(document: OpenApiDocument, { parameters = [] }: Operation): Html {
  const all = parameters.map((one) => (isRef(one) ? (document.components.parameters[nameIn(one)] ?? {}) : one));
  if (all.length === 0) return html``;
  return html`<details class="prompt">
    <summary>${all.length} ${all.length === 1 ? 'parameter' : 'parameters'}</summary>
    <dl class="reasons">
      ${all.map(
        ({ name, in: where, required, description }) =>
          html`<div>
            <dt><code>${String(name)}</code> ${String(where)}${required === true && ', required'}</dt>
            <dd>${(description as string | undefined) ?? ''}</dd>
          </div>`,
      )}
    </dl>
  </details>`;
}

/** The schemas in a response, each linked to its description. */
function schemaLinks({ content = {} }: Response): readonly Html[] {
  const names = [...JSON.stringify(content).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
  return [...new Set(names)].map((name) => html` <a href="#answer-${name}">${name}</a>`);
}

function nameIn({ $ref }: Ref): string {
  return $ref.split('/').at(-1) ?? '';
}

function isRef(one: Members | Ref): one is Ref {
  return '$ref' in one;
}
