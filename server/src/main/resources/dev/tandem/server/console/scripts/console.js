// The script of the console's pages: they follow what they show, ask before they change something, and send changes to the
// API. Pages work without it, but only show.
import './acts.js';
import { drawAll } from './charts.js';
import './exports.js';
import './find.js';
import './forms.js';
import { follow } from './live.js';
import './menu.js';
import { tellTimes } from './times.js';

tellTimes(document);
drawAll();
follow();
