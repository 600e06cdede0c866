/** The token, where the server wants one: asked for once, kept until the tab is closed. */

const KEY = "millrace-token";
let asked = null;

export const token = () => sessionStorage.getItem(KEY);

/** Asks for a token; all that wait for it share one dialog. `refused` was tried before, or null. */
export function ask(refused) {
  asked ??= new Promise((resolve) => {
    const dialog = document.getElementById("access");
    const field = document.getElementById("access-token");
    document.getElementById("access-problem").hidden = refused == null;
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.getElementById("access-form").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        sessionStorage.setItem(KEY, field.value.trim());
        field.value = "";
        dialog.close();
        asked = null;
        resolve();
      },
      { once: true },
    );
    dialog.showModal();
  });
  return asked;
}
