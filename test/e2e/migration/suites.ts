import * as assert from 'uvu/assert';

// The tests that an application had before it moved: requests as a browser sends them, and what is answered.

type Suite = Readonly<Record<string, (url: string) => Promise<void>>>;

/** A browser without redirects, which keeps cookies and says where its forms come from. */
function visitor(url: string) {
  const cookies = new Map<string, string>();
  return async (method: string, path: string, form?: Record<string, string>, more: object = {}) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(method === 'GET' ? {} : { origin: url }),
        ...more,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return { status: response.status, location, text: await response.text(), headers: response.headers };
  };
}

const auth: Suite = {
  async 'strangers are sent to the form, which says why, once'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/login');
    assert.is((await ask('GET', '/restricted')).location, '/login');
    assert.match((await ask('GET', '/login')).text, 'Access denied');
    assert.not.match((await ask('GET', '/login')).text, 'Access denied');
  },
  async 'a wrong password is told'(url) {
    const ask = visitor(url);
    const refused = await ask('POST', '/login', { username: 'ada', password: 'no' });
    assert.equal([refused.status, refused.location], [302, '/login']);
    assert.match((await ask('GET', '/login')).text, 'Wrong name or password');
    assert.is((await ask('GET', '/restricted')).status, 302);
  },
  async 'the right one lets in, until the logout'(url) {
    const ask = visitor(url);
    await ask('GET', '/restricted');
    const entered = await ask('POST', '/login', { username: 'ada', password: 'engine' });
    assert.equal([entered.status, entered.location], [302, '/restricted']);
    const welcome = await ask('GET', '/restricted');
    assert.equal([welcome.status, welcome.text], [200, 'Welcome, ada']);
    assert.match(welcome.headers.get('content-type') ?? '', 'text/html');
    assert.is((await visitor(url)('GET', '/restricted')).status, 302);
    assert.is((await ask('GET', '/logout')).location, '/');
    assert.is((await ask('GET', '/restricted')).location, '/login');
  },
};

const mvc: Suite = {
  async 'lists and pages'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/users');
    assert.match((await ask('GET', '/users')).text, '<a href="/user/1">Bob</a>');
    assert.match((await ask('GET', '/user/0')).text, /<h1>Ada<\/h1>[\s\S]*Rex/);
    assert.match((await ask('GET', '/user/0/edit')).text, 'value="Ada"');
    assert.match((await ask('GET', '/pet/0')).text, 'The pet Rex');
    assert.match((await ask('GET', '/style.css')).headers.get('content-type') ?? '', 'text/css');
  },
  async 'names change by forms'(url) {
    const ask = visitor(url);
    assert.is((await ask('POST', '/user/1?_method=put', { 'user[name]': '<Bo>' })).location, '/user/1');
    assert.match((await ask('GET', '/user/1')).text, '<h1>&#60;Bo&#62;</h1>');
    assert.is((await ask('POST', '/pet/1?_method=put', { 'pet[name]': 'Kit' })).location, '/pet/1');
    assert.match((await ask('GET', '/pet/1/edit')).text, 'value="Kit"');
    assert.is((await ask('POST', '/user/0/pet', { 'pet[name]': 'Max' })).location, '/user/0');
    assert.match((await ask('GET', '/user/0')).text, '<a href="/pet/2">Max</a>');
  },
  async 'what is not there is a page, too'(url) {
    for (const path of ['/user/9', '/pet/9/edit', '/nowhere']) {
      const { status, text } = await visitor(url)('GET', path);
      assert.equal([status, text], [404, `<h1>There is nothing at ${path}</h1>\n`]);
    }
  },
};

const routeMiddleware: Suite = {
  async 'a user is loaded, or a 404'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/')).location, '/user/0');
    assert.is((await ask('GET', '/user/2')).text, 'Viewing cleo');
    const missing = await ask('GET', '/user/9');
    assert.equal([missing.status, missing.text], [404, '{"message":"There is no such user"}']);
  },
  async 'one edits oneself'(url) {
    const ask = visitor(url);
    assert.is((await ask('GET', '/user/0/edit')).text, 'Editing ada');
    const refused = await ask('GET', '/user/1/edit');
    assert.equal([refused.status, refused.text], [403, '{"message":"This is not you"}']);
    const bob = await ask('GET', '/user/1/edit', undefined, { 'x-user': 'bob' });
    assert.equal([bob.status, bob.text], [200, 'Editing bob']);
  },
  async 'an admin deletes'(url) {
    const ask = visitor(url);
    const refused = await ask('DELETE', '/user/1');
    assert.equal([refused.status, refused.text], [403, '{"message":"You are no admin"}']);
    const done = await ask('DELETE', '/user/1', undefined, { 'x-user': 'cleo' });
    assert.equal([done.status, done.text], [200, 'Deleted bob']);
    assert.is((await ask('DELETE', '/user/9', undefined, { 'x-user': 'cleo' })).status, 404);
  },
};

export const suites: Readonly<Record<string, Suite>> = { auth, mvc, 'route-middleware': routeMiddleware };
