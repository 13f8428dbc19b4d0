import type { OpenApiDocument } from '../routes/openapi-document';
import type { Members } from '../routes/schema';
import { html, type Html } from '../http/html';

/** Longer examples are shortened: the OpenAPI document has them in full. */
const MAX_EXAMPLE = 6_000;
/** How deep nested objects are listed, as `outer.inner`. */
const MAX_DEPTH = 4;

type Schema = Members & { readonly $ref?: string };

/** Every named schema with its members, and a recorded response if there is one. */
export function schemaSections({ schemas, examples }: OpenApiDocument['components']): readonly Html[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const recorded = examples[name]?.['value'];
    const id = `answer-${name}`;
    const members = membersOf(schema as Schema, '', 0);
    return html`<article class="call" id="${id}">
      <h3>${name}</h3>
      ${members.length === 0 && html`<p>${typeOf(schema as Schema)}</p>`}
      ${
        members.length > 0 &&
        html`<dl class="reasons">
          ${members.map(
            ({ path, schema: member, optional }) =>
              html`<div>
                <dt><code>${path}${optional && '?'}</code> ${typeOf(member)}</dt>
                <dd>${(member['description'] as string | undefined) ?? ''}</dd>
              </div>`,
          )}
        </dl>`
      }
      ${
        recorded !== undefined &&
        html`<details class="prompt">
          <summary>Example of ${name}</summary>
          <pre tabindex="0" aria-label="Example of ${name}">${shortened(JSON.stringify(recorded, null, 2))}</pre>
        </details>`
      }
    </article>`;
  });
}

interface Member {
  readonly path: string;
  readonly schema: Schema;
  readonly optional: boolean;
}

function membersOf(schema: Schema, prefix: string, depth: number): readonly Member[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const required = new Set(schema['required'] as readonly string[] | undefined);
  return properties.flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const items = member['items'] as Schema | undefined;
    const deeper = depth + 1 < MAX_DEPTH;
    return [
      { path, schema: member, optional: !required.has(name) },
      ...(deeper ? membersOf(member, `${path}.`, depth + 1) : []),
      ...(deeper && items ? membersOf(items, `${path}[].`, depth + 1) : []),
    ];
  });
}

function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    return html`<a href="#answer-${name}">${name}</a>`;
  }
  if ('const' in schema) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  const choices = (schema['enum'] ?? schema['anyOf']) as readonly unknown[] | undefined;
  if (schema['enum'] !== undefined) return html`${choices?.map(String).join(' | ')}`;
  if (choices) return html`${choices.map((one, index) => html`${index > 0 && ' or '}${typeOf(one as Schema)}`)}`;
  if (schema['items'] !== undefined) return html`list of ${typeOf(schema['items'] as Schema)}`;
  return html`${[schema['type'] ?? 'any'].flat().map(String).join(' or ')}`;
}

function shortened(text: string): string {
  return text.length <= MAX_EXAMPLE ? text : `${text.slice(0, MAX_EXAMPLE)}\n… (in full in the OpenAPI document)`;
}
