"""Words that describe customers; the sizes of the lists are those of customers.md 16."""

# group -> six lines of business, five or six roles
INDIVIDUALS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "S1": (
        ("retail", "hospitality", "tutoring", "home services", "crafts", "transport"),
        ("shop assistant", "student", "side-business owner", "office clerk", "driver", "caterer"),
    ),
    "S2": (
        ("law", "publishing", "architecture", "consulting", "medicine", "translation"),
        ("solicitor", "editor", "architect", "consultant", "physician", "translator"),
    ),
    "S3": (
        ("software", "quantitative finance", "cyber security", "robotics", "biotech", "cloud"),
        ("developer", "quant", "security engineer", "roboticist", "bioinformatician", "architect"),
    ),
    "D_S01": (
        ("miniature painting", "podcasting", "genealogy", "street food", "cycling", "gardening"),
        ("video maker", "podcaster", "blogger", "illustrator", "streamer"),
    ),
    "D_S02": (
        ("history", "physics", "sociology", "linguistics", "ecology", "economics"),
        ("doctoral student", "lecturer", "postdoc", "professor", "lab manager", "librarian"),
    ),
    "D_S03": (
        ("food aid", "housing", "conservation", "youth work", "refugee aid", "health outreach"),
        ("fundraiser", "volunteer coordinator", "case worker", "grant writer", "campaigner"),
    ),
    "D_S04": (
        ("branding", "web design", "public relations", "events", "film", "recruiting"),
        ("agency owner", "account lead", "copywriter", "producer", "planner", "designer"),
    ),
    "D_S05": (
        ("puzzle games", "role-playing games", "mobile games", "simulations", "horror", "racing"),
        ("programmer", "level designer", "pixel artist", "composer", "writer", "solo developer"),
    ),
    "D_S06": (
        ("travel", "technology", "fiction", "health", "finance", "lifestyle"),
        ("journalist", "ghostwriter", "novelist", "technical writer", "columnist"),
    ),
    "D_S07": (
        ("e-commerce", "banking", "logistics", "sports", "public health", "advertising"),
        ("analyst", "data scientist", "reporting lead", "statistician", "dashboard builder"),
    ),
    "D_S08": (
        ("fashion", "restaurants", "music", "tourism", "cosmetics", "fitness"),
        ("community manager", "content planner", "brand voice", "influencer agent", "moderator"),
    ),
    "D_S09": (
        ("fintech", "health apps", "travel apps", "education", "public services", "media"),
        ("interaction designer", "researcher", "prototyper", "design lead", "usability tester"),
    ),
    "D_S10": (
        ("electronic", "hip hop", "film scores", "folk", "jazz", "pop"),
        ("beat maker", "mixing engineer", "songwriter", "composer", "session player"),
    ),
}
EXPERIENCE = ("newcomer", "some years in", "seasoned", "veteran")
WORK_STYLE = ("methodical", "improvising", "deadline-driven", "collaborative", "independent")
TECH_SAVVY = ("novice", "basic", "comfortable", "advanced", "expert")

# group -> six lines of business
ENTERPRISES: dict[str, tuple[str, ...]] = {
    "E1": ("discount retail", "call centres", "parcels", "cleaning", "packaging", "catering"),
    "E2": ("aerospace", "pharmaceuticals", "private banking", "optics", "watches", "law"),
    "E3": ("carmaking", "semiconductors", "media", "defence", "airlines", "cloud services"),
    "D_E01": ("taxation", "transport", "environment", "justice", "statistics", "planning"),
    "D_E02": ("university", "school district", "college", "online courses", "museum", "library"),
    "D_E03": ("hospitals", "clinics", "diagnostics", "home care", "rehabilitation", "dentistry"),
    "D_E04": ("savings", "farm credit", "mortgages", "business loans", "cards", "trusts"),
    "D_E05": (
        "property cover",
        "life cover",
        "marine cover",
        "motor cover",
        "health",
        "reinsurance",
    ),
    "D_E06": ("bridges", "housing", "tunnels", "roads", "steelwork", "renovation"),
    "D_E07": ("mobile networks", "fibre", "satellites", "data centres", "cable", "roaming"),
    "D_E08": ("wind", "solar", "hydro", "gas", "grid", "district heating"),
    "D_E09": ("offices", "rentals", "shopping centres", "warehouses", "hotels", "land"),
    "D_E10": ("containers", "tankers", "ferries", "bulk cargo", "ports", "cold chain"),
}
CONTACT_ROLE = ("head of IT", "purchasing lead", "operations director", "finance chief", "founder")
CONTACT_TECH = ("basic", "comfortable", "expert")
COMPANY_SIZE = ("growing firm", "mid-sized firm", "large firm", "national group", "global group")
COMPANY_CULTURE = ("cautious", "ambitious", "formal", "easy-going", "frugal")
DECISION_STYLE = ("committee", "single decision maker", "pilot first", "data-led", "consensus")
PRIMARY_CONCERN = ("price", "reliability", "data protection", "integration", "support")
CONTACT_EXPERIENCE = "established"

USAGE = ("light user", "regular user", "heavy user", "power user")
MONEY = ("budget-conscious", "value-oriented", "willing to invest")
QUALITY = (
    "content with the basics",
    "looking for decent quality",
    "keen on quality",
    "demanding about quality",
)

# writers of public posts
FIRST_NAMES = (
    "Ada",
    "Bruno",
    "Chidi",
    "Dana",
    "Emre",
    "Freya",
    "Gita",
    "Hugo",
    "Ines",
    "Jun",
    "Kofi",
    "Leila",
)
FAMILY_NAMES = (
    "Abara",
    "Brandt",
    "Castillo",
    "Dubois",
    "Eriksen",
    "Fontana",
    "Haddad",
    "Ito",
    "Kowalski",
    "Mbeki",
    "Novak",
    "Sharma",
)
