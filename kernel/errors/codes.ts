/**
 * Every kind of mistake that is reported to people, by its code. A number stays what it is, and is not used again. Each has a page
 * `docs/errors/<code>.md`, whose heading is the text here. By hundreds: 1 files and routes, 2 config and environment, 3 context,
 * 4 HTTP, 5 sockets, events and MCP, 6 commands, 7 plugins, 8 machines and the packages beside fwkit, 9 tests.
 */
export interface Codes {
  FWK101: 'The path of a file is not one of a route';
  FWK102: 'A file is named for another method than it exports';
  FWK103: 'Two files serve one route';
  FWK104: 'A module has no default export';
  FWK105: 'A default export is not wrapped';
  FWK106: 'A module throws when it is imported';
  FWK107: 'A module does not parse';
  FWK108: 'An import leads nowhere';
  FWK109: 'An import names what is not exported';
  FWK110: 'A module waits too long';
  FWK111: 'Two plugins claim one file';
  FWK112: 'A file cannot be read';
  FWK113: 'A file does not export a middleware';
  FWK114: 'A middleware would never run';
  FWK115: 'A middleware called next() twice';
  FWK116: 'A middleware guards nothing';
  FWK117: 'A middleware drops what next() gives';

  FWK201: 'The config has an unknown key';
  FWK202: 'An option has a value that it cannot have';
  FWK203: 'The config exports no object';
  FWK204: 'A variable of the environment has a wrong value';
  FWK205: 'A secret is too short';
  FWK206: 'There is no secret to sign sessions with';
  FWK207: 'Machines have no secret in common';
  FWK208: 'A port is taken';
  FWK209: 'An address cannot be listened on';
  FWK210: 'A logger is not one';
  FWK211: 'The development server does not know a host';
  FWK212: 'A secret is in the sources';
  FWK213: 'git has a file of secrets, or would take it';
  FWK214: 'A setting has no effect';

  FWK301: 'A file does not export a provider';
  FWK302: 'Two files provide one key of ctx';
  FWK303: 'Values of ctx read one another in a circle';
  FWK304: 'A singleton reads what lives for less long';
  FWK305: 'A value of ctx cannot be made';
  FWK306: 'A service cannot start';
  FWK307: 'A test overrides what nothing provides';
  FWK308: 'ctx is used after its request';
  FWK309: 'A provider is given what it does not take';
  FWK310: 'A session value is not data';
  FWK311: 'A visitor or session is needed';
  FWK312: 'ctx is used before the app serves';
  FWK313: 'ctx cannot be assigned';
  FWK314: 'Nothing reads a value of ctx';
  FWK315: 'An app is used after its end';

  FWK401: 'The definition of a route is not right';
  FWK402: 'A wrapper is given no function';
  FWK403: 'A key of .meta() has a wrong value';
  FWK404: 'A definition does not fit its file';
  FWK405: 'CORS is not set up right';
  FWK406: 'A cache is not set up right';
  FWK407: 'A limit of requests is not right';
  FWK408: 'A security header is not right';
  FWK409: 'A security scheme is not there';
  FWK410: 'A value has what JSON has not';
  FWK411: 'A response has been sent already';
  FWK412: 'A status is not one';
  FWK413: 'A header cannot be sent';
  FWK414: 'A result does not fit its schema';
  FWK415: 'A template is missing or fails';
  FWK416: 'A file or Response cannot be sent';
  FWK417: 'A body is read in a way that its route does not have';
  FWK418: 'A stream yields what cannot be sent';
  FWK419: 'A schema has dates, which JSON has not';
  FWK420: 'A request of another origin is refused';
  FWK421: 'A route hides a file of public/';
  FWK422: 'A schema cannot tell its JSON Schema';

  FWK501: 'A socket is named for a method';
  FWK502: 'A message cannot be sent';
  FWK503: 'A handshake does not reach the app';
  FWK504: 'An event is not one';
  FWK510: 'A file below mcp/ is in no place for one';
  FWK511: 'A file below mcp/ exports something else';
  FWK512: 'A name or URI of MCP is not one';
  FWK513: 'Two definitions of MCP have one name';
  FWK514: 'A schema of MCP is not right';
  FWK515: 'Authorization of MCP is not right';
  FWK516: 'A route cannot be a tool';
  FWK517: 'A route is at the endpoint of MCP';
  FWK518: 'MCP sessions need one process';
  FWK519: 'There is nothing for MCP clients';
  FWK520: 'A question to an MCP client is not one';

  FWK601: 'There is no such command';
  FWK602: 'There is no such flag';
  FWK603: 'A flag has a wrong value';
  FWK604: 'A command is given too many or too few words';
  FWK605: 'A folder is not that of a project';
  FWK606: 'A file cannot be written';
  FWK607: 'A file is not as fwk can add to it';
  FWK608: 'A project is in two layouts';
  FWK609: 'Nothing is generated';
  FWK610: 'A compiled file has no source';
  FWK611: '@fwkit/build is missing or does not fit';
  FWK612: 'The project does not compile';
  FWK613: 'An image cannot be described';
  FWK614: 'A plugin cannot have that name';
  FWK615: 'The compiler does not see the generated types';
  FWK616: 'The generated types are old';
  FWK617: 'The compiler lets values be missing';
  FWK618: 'Modules would be taken for CommonJS';
  FWK619: 'An install for production leaves out what the app needs';
  FWK620: 'There are two copies of fwkit';
  FWK621: 'Node or TypeScript is too old';
  FWK622: 'The system does not tell of every change';
  FWK623: 'The guidance for assistants is old';

  FWK701: 'An entry of plugins is not a plugin';
  FWK702: 'Two plugins have one name';
  FWK703: 'There is no such plugin';
  FWK704: 'A plugin is needed that is not there';
  FWK705: 'A plugin needs a newer fwkit';
  FWK706: 'A plugin failed';
  FWK707: 'A plugin does what it must not';

  FWK801: 'An app has no name';
  FWK802: 'Two plugins connect machines';
  FWK803: 'A memory or lock is given what it cannot take';
  FWK810: 'redis() is given what it does not take';
  FWK811: 'Redis cannot be reached';
  FWK812: 'Redis refuses the app';
  FWK813: 'A log, room or publisher of Redis is used wrongly';
  FWK820: 'postgres() is given what it does not take';
  FWK821: 'PostgreSQL cannot be reached';
  FWK822: 'A database cannot hold all characters';
  FWK823: 'A database has no tables of fwk';
  FWK830: 'queues() is given what it does not take';
  FWK831: 'The broker of queues cannot be reached';
  FWK832: 'A file below queues/ is not a queue';
  FWK833: 'The options of a queue or a job are wrong';
  FWK840: 'A file below cron/ is not a job';
  FWK841: 'A schedule is not one';
  FWK842: 'There is no such job';
  FWK850: 'Metrics cannot be served there';
  FWK851: 'Nothing takes the traces';
  FWK860: 'A policy is wrong';
  FWK861: 'A policy does not hold';
  FWK865: 'A route reaches what it may not';
  FWK866: 'It is not known what changed';

  FWK901: 'A test gives an option that cannot be';
  FWK902: 'A test clock is given no date or duration';
  FWK903: 'A test waits for what does not come';
  FWK904: 'A connection of a test has ended';
  FWK905: 'A test is refused what it asks for';
  FWK906: 'A call of MCP in a test fails';
  FWK907: 'An app that is closed has left something open';
  FWK908: 'A plugin breaks a law';
}

/** A code of fwkit itself, and of the packages that are published beside it. */
export type OwnCode = keyof Codes;

/**
 * The code of a problem: one of fwkit, or a plugin's own, which has the plugin's prefix in capitals, a dash and a number:
 * `ACME-12`.
 */
export type ProblemCode = OwnCode | `${Uppercase<string>}-${number}`;
