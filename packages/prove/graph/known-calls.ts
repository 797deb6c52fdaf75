export const FROM_FWK = /^@?fwkit/;
/** Functions of fwk that take a handler. */
export const WRAPPERS =
  /^(get|post|put|patch|del|all|sse|ws|tool|resource|prompt|queue|cron|job|middleware|service|di|head|options|page|httpRoute|route|guard)$/;
export const PURE =
  /^(map|filter|find|findIndex|findLast|findLastIndex|some|every|includes|indexOf|lastIndexOf|join|slice|concat|flat|flatMap|at|entries|keys|values|has|get|reduce|reduceRight|forEach|split|trim|trimStart|trimEnd|to(Locale)?(Lower|Upper)Case|toString|toJSON|toFixed|toISOString|padStart|padEnd|replace|replaceAll|match|matchAll|test|charAt|charCodeAt|codePointAt|startsWith|endsWith|substring|repeat|normalize|localeCompare|then|catch|finally|toSorted|toReversed|toSpliced|with|getTime|valueOf|call|apply|bind|next|return|header|headers|cookie|status|redirect|json|type|method|path|url|query|params|body|readBody|searchParams|getStore|abs|floor|ceil|round|min|max|stringify|parse|from|isArray|fromEntries|freeze|isInteger|isNaN|digest|update|createHash|all|first|one|count|iterate|prepare|pipe|once|close|end|destroy|dispose|disconnect|quit|pragma|unref|ref)$/;
/** Methods that only read, by the beginning of their names. */
export const READING =
  /^(get|find|has|is|list|all|first|one|count|read|select|to|from|of|by|search|at|each|describe|render|format|peek|exists|lookup|load|fetch)([A-Z_]|$)/;
/** Methods of the language that change their object. */
export const MUTATORS =
  /^(push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|append|assign|definePropert(y|ies)|setPrototypeOf)$/;
/** Methods that may write anywhere, even if the project defines a function of that name. */
export const WRITING =
  /^(emit|on|send|publish|write|insert|save|exec|update|remove|create|put|enqueue|query|dispatch|notify)$/;
export const SQL_WRITE = /\b(insert|update|delete|replace|create|drop|alter|truncate|merge|upsert|set)\b/i;
export const SQL_READ = /^\s*(select|with|explain|pragma)\b/i;
export const FILE_WRITE =
  /^(write|append|rm|unlink|mkdir|rename|copy|cp|truncate|symlink|link|chmod|open|createWrite|mkdtemp|fsync|utimes)/;
export const NETWORK = /^(fetch|WebSocket|EventSource|XMLHttpRequest)$/;
export const GLOBAL_OBJECTS = /^(globalThis|global|self|window)$/;
/** Globals that hold no data of the app. */
export const PURE_GLOBALS =
  /^(String|Number|Boolean|BigInt|Symbol|JSON|Math|Object|Array|Date|RegExp|Intl|URL|URLSearchParams|(en|de)codeURIComponent|parseInt|parseFloat|isNaN|structuredClone|Buffer|Promise|Reflect|Error|TypeError|console|performance|crypto|atob|btoa|Map|Set|WeakMap|WeakSet|Proxy|undefined|set(Timeout|Interval|Immediate)|clear(Timeout|Interval)|queueMicrotask)$/;
/** Functions that keep or pass on the `ctx` that they get. */
export const KEEPERS =
  /^(run|enterWith|exit|resolve|reject|then|catch|finally|set|add|push|unshift|next|queueMicrotask|setTimeout|setImmediate|nextTick|all|race|bind|call|apply|map|forEach|reduce|find|filter|freeze|is|String|Boolean|wrap)$/;
/** Methods of classes that the language, Node or fwk calls without spelling their names, and members of a service that fwk calls. */
export const IMPLICIT =
  /^(constructor|toString|toJSON|valueOf|then|catch|finally|next|return|throw|inspect|default|handle|connectedCallback|close|dispose|health|value|lifetime)$/;
