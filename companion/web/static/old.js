// For browsers that cannot read page.js: the page is loaded anew, so that it never stands still without a word.
setInterval(function () {
  if (!document.documentElement.getAttribute("data-live")) location.reload();
}, 15000);
