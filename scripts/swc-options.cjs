/** How TypeScript becomes CommonJS, in the build and in jest. */
module.exports = {
  swcrc: false,
  // `import()` stays, and what it imports names its exports where Node.js looks for them.
  module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
  },
};
