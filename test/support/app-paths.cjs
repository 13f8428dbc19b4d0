// Jest's module mapping does not reach global set-up, which runs outside the test environment.
const Module = require('node:module');
const { join } = require('node:path');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  const library = /^@app\/([^/]+)$/.exec(request)?.[1];
  return resolve.call(this, library ? join(__dirname, '../../libs', library, 'src/index.ts') : request, ...rest);
};
