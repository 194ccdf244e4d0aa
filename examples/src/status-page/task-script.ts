/**
 * Runs the server's long-running tool as a task, from the status page, and follows it. The stored form of the handle outlives the page:
 * after a reload, the page finds the task by its id. It runs in the browser, which is why it is a text here.
 */
export const TASK_SCRIPT = `
import { Client } from "parley-mcp/client";
import { reopenTask, startTool, tasks } from "parley-mcp/tasks";

const STORED = "task";
const byId = (id) => document.getElementById(id);
const [start, cancel, bar] = [byId("task-start"), byId("task-cancel"), byId("task-progress")];
const { endpoint, tool } = byId("task-view").dataset;
let connecting;

function say(text) {
  byId("task-state").textContent = text;
}

function connect() {
  const url = new URL(endpoint, location.href).href;
  connecting ??= Client.connect(url, { name: "status-page", title: "The status page", version: "1.0.0", extensions: [tasks] });
  connecting.catch(() => {
    connecting = undefined;
  });
  return connecting;
}

async function follow(open) {
  start.disabled = true;
  try {
    const handle = await open(await connect());
    sessionStorage.setItem(STORED, JSON.stringify(handle));
    say("Task " + handle.taskId + " has started");
    cancel.disabled = false;
    cancel.onclick = () => handle.cancel().catch((error) => say(error.message));
    const onProgress = ({ message }) => {
      const left = Number.parseFloat(message);
      bar.max = Math.max(bar.max, left);
      bar.value = bar.max - left;
      say("Task " + handle.taskId + ": " + message);
    };
    const { content } = await handle.result({ onProgress });
    bar.value = bar.max;
    say("Task " + handle.taskId + " is done: " + content.map((block) => block.text ?? "").join(" "));
  } catch (error) {
    bar.value = 0;
    say(error.message);
  } finally {
    sessionStorage.removeItem(STORED);
    cancel.disabled = true;
    start.disabled = false;
  }
}

start.addEventListener("click", () => {
  const seconds = byId("task-seconds").valueAsNumber;
  [bar.max, bar.value] = [seconds, 0];
  void follow((client) => startTool(client, tool, { seconds }));
});
start.disabled = false;
const stored = sessionStorage.getItem(STORED);
if (stored !== null) await follow((client) => reopenTask(client, JSON.parse(stored)));
`;
