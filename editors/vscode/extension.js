// The extension: starts `mobula lsp` for its languages, gives `mobula dap` to the debugger, and times files.
'use strict';
const path = require('node:path');
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

const languages = ['midgard', 'afuc', 'utgard-gp', 'rogue', 'scoreboard'];

let client;

/** The command, wherever the settings say it is. */
const command = () => vscode.workspace.getConfiguration('mobula').get('path') || 'mobula';

async function startClient() {
  client = new LanguageClient('mobula', 'mobula', { command: command(), args: ['lsp'] },
    { documentSelector: languages.map((language) => ({ language })) });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = 'Open settings';
    const chosen = await vscode.window.showErrorMessage(
      `mobula lsp does not start (${error.message ?? error}). Is mobula installed, and does the setting mobula.path name it?`, settings);
    if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'mobula.path');
  }
}

async function stopClient() {
  const running = client;
  client = undefined;
  if (running) await running.stop();
}

/** The words of the command that times a document. */
function timingArguments(document) {
  if (document.languageId === 'scoreboard') return ['scoreboard', 'run', document.fileName];
  return ['time', '--machine', document.languageId, document.fileName];
}

async function timeDocument() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !languages.includes(document.languageId) || document.uri.scheme !== 'file') {
    await vscode.window.showErrorMessage('There is no file here that mobula can time.');
    return;
  }
  if (!(await document.save())) return;
  const execution = new vscode.ProcessExecution(command(), timingArguments(document), { cwd: path.dirname(document.fileName) });
  const task = new vscode.Task({ type: 'process' }, vscode.TaskScope.Workspace, `time ${path.basename(document.fileName)}`,
    'mobula', execution);
  await vscode.tasks.executeTask(task);
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('mobula.time', timeDocument),
    vscode.debug.registerDebugAdapterDescriptorFactory('mobula', {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(command(), ['dap']),
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration('mobula.path')) return;
      await stopClient();
      await startClient();
    }));
  await startClient();
}

module.exports = { activate, deactivate: stopClient, timingArguments };
