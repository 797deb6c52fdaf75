import { get, view } from 'fwkit';
import { BOOKS } from '../../../lib/fixtures.js';

export default get(() => view('books', { books: BOOKS }));
