/** How TypeScript is compiled to CommonJS, in the build and in jest. */
module.exports = {
  swcrc: false,
  // Keeps `import()`, and annotates exports so that Node.js finds their names.
  module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  },
};
