/**
 * Reports a promise that is created before another `await` and awaited after it: if it rejects in between, it has no handler
 * yet. `@typescript-eslint/no-floating-promises` does not report it, because the promise is awaited in the end.
 */
const MESSAGE = 'This promise may reject before it is awaited. Await it first, or await both in Promise.all.';

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function functionOf(node) {
  let at = node;
  while (at && !FUNCTIONS.has(at.type)) at = at.parent;
  return at;
}

/** True if a call leaves no rejection to handle: `….catch(…)` and `Promise.allSettled(…)`. */
function isHandled({ callee }) {
  return callee?.type === 'MemberExpression' && ['catch', 'allSettled'].includes(callee.property.name);
}

export const promiseOrder = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const { program, esTreeNodeToTSNodeMap } = sourceCode.parserServices;
    const checker = program.getTypeChecker();
    /** The awaits in each function. */
    const awaits = new Map();
    /** A promise, and the range that must not contain an `await`. */
    const begun = [];

    const isPromise = (type) =>
      type.isUnion() ? type.types.some(isPromise) : checker.getPropertyOfType(type, 'then') !== undefined;
    const holdsPromise = (node) => {
      const type = checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node));
      const element = checker.isArrayLikeType(type) && checker.getIndexTypeOfType(type, 1);
      return isPromise(type) || (element && isPromise(element));
    };
    const beginsPromise = (node) =>
      node && !['AwaitExpression', 'Identifier'].includes(node.type) && !isHandled(node) && holdsPromise(node);
    const noteAwait = (node) => {
      const owner = functionOf(node);
      awaits.set(owner, [...(awaits.get(owner) ?? []), node.range]);
    };
    /** For a promise in a variable: up to its first use in the same function. */
    const noteVariable = (name, value) => {
      if (name.type === 'ArrayPattern' && value?.type === 'ArrayExpression') {
        name.elements.forEach((element, at) => element && noteVariable(element, value.elements[at]));
      }
      if (name.type !== 'Identifier' || !beginsPromise(value)) return;
      const owner = functionOf(name);
      const uses = referencesOf(sourceCode.getScope(name), name.name)
        .filter((identifier) => functionOf(identifier) === owner && identifier.range[0] > value.range[1])
        .map(({ range }) => range[0]);
      if (uses.length > 0) begun.push({ value, until: Math.min(...uses) });
    };
    /** For a promise in a list of arguments, elements or properties: up to the end of the list. */
    const noteList = (list, parts) => {
      for (const value of parts) if (beginsPromise(value)) begun.push({ value, until: list.range[1] });
    };

    return {
      AwaitExpression: noteAwait,
      'ForOfStatement[await=true]': noteAwait,
      'ForOfStatement[await=false]': ({ right, range }) => {
        if (holdsPromise(right)) begun.push({ value: right, until: range[1] });
      },
      VariableDeclarator: ({ id, init }) => noteVariable(id, init),
      'AssignmentExpression[operator="="]': ({ left, right }) => noteVariable(left, right),
      ArrayExpression: (node) => noteList(node, node.elements),
      CallExpression: (node) => noteList(node, node.arguments),
      ObjectExpression: (node) =>
        noteList(
          node,
          node.properties.map(({ value }) => value),
        ),
      'Program:exit'() {
        for (const { value, until } of begun) {
          const waits = awaits.get(functionOf(value)) ?? [];
          const waited = waits.some(([start, end]) => start >= value.range[1] && end <= until);
          if (waited) context.report({ node: value, message: MESSAGE });
        }
      },
    };
  },
};

/** The references to the variable that a name stands for in a scope. */
function referencesOf(scope, name) {
  let at = scope;
  while (at && !at.set.has(name)) at = at.upper;
  return at ? at.set.get(name).references.map(({ identifier }) => identifier) : [];
}
