const box = document.getElementById("search");
const entries = [...document.querySelectorAll(".rule")].map((entry) => [entry, entry.textContent.toLowerCase()]);
function search() {
  const words = box.value.toLowerCase().split(/\s+/);
  for (const [entry, text] of entries) entry.hidden = !words.every((word) => text.includes(word));
  for (const family of document.querySelectorAll("main > section"))
    family.hidden = [...family.querySelectorAll(".rule")].every((entry) => entry.hidden);
}
function show() {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (entry?.matches(".rule")) entry.open = true;
}
box.parentElement.hidden = false;
box.addEventListener("input", search);
addEventListener("hashchange", show);
search();
show();
