/** The access token: requested from the user if the server requires one, and kept until the tab is closed. */

const KEY = "millrace-token";
let pending = null;

export const token = () => sessionStorage.getItem(KEY);

/** Requests a token, with one dialog for all concurrent requests. `rejected` is the rejected token, or null. */
export function promptForToken(rejected) {
  pending ??= new Promise((resolve) => {
    const dialog = document.getElementById("access");
    const field = document.getElementById("access-token");
    document.getElementById("access-problem").hidden = rejected == null;
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.getElementById("access-form").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        sessionStorage.setItem(KEY, field.value.trim());
        field.value = "";
        dialog.close();
        pending = null;
        resolve();
      },
      { once: true },
    );
    dialog.showModal();
  });
  return pending;
}
