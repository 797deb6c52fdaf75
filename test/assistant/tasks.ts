import type { Task } from './task.js';
import { adminGuard } from './tasks/admin-guard.js';
import { chat } from './tasks/chat.js';
import { countAcrossWorkers } from './tasks/count-across-workers.js';
import { createNote } from './tasks/create-note.js';
import { domainErrors } from './tasks/domain-errors.js';
import { download } from './tasks/download.js';
import { everyAnswer } from './tasks/every-answer.js';
import { exportCsv } from './tasks/export-csv.js';
import { liveNotes } from './tasks/live-notes.js';
import { login } from './tasks/login.js';
import { mcpTool } from './tasks/mcp-tool.js';
import { nightlyJob } from './tasks/nightly-job.js';
import { noteById } from './tasks/note-by-id.js';
import { ownConvention } from './tasks/own-convention.js';
import { ownTest } from './tasks/own-test.js';
import { pageAndForm } from './tasks/page-and-form.js';
import { pagedList } from './tasks/paged-list.js';
import { protect } from './tasks/protect.js';
import { routeAsTool } from './tasks/route-as-tool.js';
import { serviceLife } from './tasks/service-life.js';
import { staticCache } from './tasks/static-cache.js';
import { toolsWithWorkers } from './tasks/tools-with-workers.js';
import { upload } from './tasks/upload.js';
import { webhook } from './tasks/webhook.js';

/** Things that people ask for, by the name of their folder. */
export const TASKS: Readonly<Record<string, Task>> = {
  'admin-guard': adminGuard,
  chat: chat,
  'count-across-workers': countAcrossWorkers,
  'create-note': createNote,
  'domain-errors': domainErrors,
  download: download,
  'every-answer': everyAnswer,
  'export-csv': exportCsv,
  'live-notes': liveNotes,
  login: login,
  'mcp-tool': mcpTool,
  'nightly-job': nightlyJob,
  'note-by-id': noteById,
  'own-convention': ownConvention,
  'own-test': ownTest,
  'page-and-form': pageAndForm,
  'paged-list': pagedList,
  protect: protect,
  'route-as-tool': routeAsTool,
  'service-life': serviceLife,
  'static-cache': staticCache,
  'tools-with-workers': toolsWithWorkers,
  upload: upload,
  webhook: webhook,
};
