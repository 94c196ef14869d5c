const response = await fetch("/api/greeting");
const { greeting } = await response.json();
document.querySelector("h1").textContent = greeting;
