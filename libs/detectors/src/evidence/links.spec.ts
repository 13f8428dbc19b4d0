import { exchange, html } from '../../../../test/support/evidence';
import type { Answer } from './exchange';
import { linkedBy } from './links';

const page = (body: string, link: string | string[] = []) =>
  exchange('GET', 'https://shop.example.com/', html(body, { headers: { link } })) as Answer;

const serviceDescLinks = (answer: Answer) => linkedBy(answer, 'service-desc');

describe('links of a page', () => {
  it('reads Link headers, several to a line and over several lines', () => {
    const lines = [
      '</style.css>; rel=preload, </api.json>; rel="service-desc"; type="application/json"',
      '</b,c.yaml>;REL=Service-Desc',
    ];
    expect(serviceDescLinks(page('', lines))).toEqual(['/api.json', '/b,c.yaml']);
  });

  it('accepts service-desc among other relations', () => {
    expect(serviceDescLinks(page('', '</api.json>; rel="describedby service-desc"'))).toEqual(['/api.json']);
  });

  it('reads link elements in any order of attributes and quoting', () => {
    const head = `<LINK href='/a.json' rel="service-desc"><link rel=service-desc href=/b.json><link rel="icon" href="/c">`;
    expect(serviceDescLinks(page(head))).toEqual(['/a.json', '/b.json']);
  });

  it('finds nothing in other relations', () => {
    expect(
      serviceDescLinks(page('<a href="service-desc">', '</doc>; rel="service-doc"; title="service-desc"')),
    ).toEqual([]);
  });
});
