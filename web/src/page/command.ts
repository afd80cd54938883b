// A command that the reader may copy.
import { element } from "./dom.ts";

export function copyableCommand(label: string, command: string): HTMLElement {
  const code = element("code", {}, command);
  const button = element("button", { type: "button", class: "copy", "aria-label": `Copy the command: ${label}` }, "Copy");
  const said = element("span", { class: "unseen", role: "status" });
  button.addEventListener("click", () => {
    void copy(command, code).then((copied) => {
      button.textContent = copied ? "Copied" : "Selected";
      said.textContent = button.textContent;
      setTimeout(() => {
        button.textContent = "Copy";
        said.textContent = "";
      }, 1600);
    });
  });
  return element("div", { class: "command" }, element("span", { class: "command-label" }, label), code, button, said);
}

/** Selects it where the browser does not let the page copy. */
async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return false;
  }
}
