// Browsers do not let a page on a disk read the index that a search needs: without a server there is no box for it.
if (location.protocol === 'file:') {
  document.querySelectorAll('[role="search"]').forEach((box) => { box.style.display = 'none'; });
}
