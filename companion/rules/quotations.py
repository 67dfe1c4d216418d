"""What the texts of the seven games say of their rules: their own words, and what these mean.

The words are the sources' (docs/rules.md 0), as they stand there; the meaning is a message for the translators. Of
rules that a text has no sentence for, and of other people's house rules, there is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from companion.rules.violations import Violation as V


def _(text: str) -> str:
    """Marks a text for the translators."""
    return text


@dataclass(frozen=True, slots=True)
class Quotation:
    """`words` in the language of the source, `meaning` in English."""

    words: str
    meaning: str


_CONNECTING: Mapping[str, Quotation] = {
    "lead": Quotation(
        "Першим ходом гравець може викласти будь яку плитку на стіл. При цьому він каже, який кінець - відкритий.",
        _("With the first move the player may lay any tile on the table, saying which end is open."),
    ),
    "matching": Quotation(
        "Приєднувати можна лише однакове до однакового (шість до шести, п’ять до п’яти і так далі).",
        _("Only like may be joined to like (six to six, five to five and so on)."),
    ),
    "open_end": Quotation(
        "Кожен наступний гравець має викласти плитку на стіл так, щоб приєднати її до відкритого кінця вже "
        "викладеної плитки, або лінії плиток.",
        _("Each next player must lay a tile so that it joins the open end of the tile or line already laid."),
    ),
    "discard": Quotation(
        "Якщо гравець не може зробити ходу, він кладе одну зі своїх плиток цятками донизу і пасує.",
        _("If a player cannot move, they put one of their tiles down with the pips hidden and pass."),
    ),
    "turn_order": Quotation(
        "всі ходять по черзі і мають докласти свої плитки на стіл, як в картах",
        _("All move in turn and have to add their tiles to the table, as in cards."),
    ),
    "end": Quotation(
        "Коли всі плитки були докладені до лінії доміно, або викладені цятками донизу, гра закінчується.",
        _("When all tiles have been added to the line or laid with the pips down, the game ends."),
    ),
    "next_leader": Quotation(
        "Перший хід в першій роздачі визначається жеребом, в наступних іграх - переможець попередньої роздачі",
        _(
            "The first move of the first deal is decided by lot; in the following games the winner of the deal "
            "before has it."
        ),
    ),
    "match": Quotation(
        "записувати очки та грати до певної кількості очок, або кількості партій",
        _("Write down the points and play up to a certain number of points or games."),
    ),
    "scoring": Quotation(
        "Всі гравці підраховують суму очок і перемагає той, в кого найменше очок.",
        _("All players add up their points, and whoever has the fewest wins."),
    ),
}
"""What the three connecting games have in common."""

QUOTATIONS: Mapping[str, Mapping[str, Quotation]] = {
    "tactic": {
        "engine": Quotation(
            "Каждый следующий кон игры начинается с кости домино со значением дубля, которая на одну цифру меньше, "
            "чем паровоз предыдущей игры",
            _("Each further round begins with a double that is one number lower than the engine of the round before."),
        ),
        "hands": Quotation(
            "Каждый игрок берет себе столько костей домино, сколько указано в … нижеприведенной таблице",
            _("Each player takes as many tiles as the table below says."),
        ),
        "starter": Quotation(
            "Выберите игрока, который начнет игру.",
            _("Choose a player who begins the game."),
        ),
        "turn_order": Quotation(
            "Когда он сделал свой ход, очередь переходит по часовой стрелке к следующему игроку.",
            _("When that turn is made, play passes clockwise to the next player."),
        ),
        "first_turn": Quotation(
            "Начинающий игрок вводит в игру свой поезд или же мексиканский поезд, выложив подходящую по значению "
            "кость для продолжения паровоза.",
            _("The first player starts their own train or the Mexican train with a tile that matches the engine."),
        ),
        "mexican": Quotation(
            "Если мексиканский поезд еще не введен в игру, то любой из игроков может это сделать в свою очередь.",
            _("If the Mexican train has not been started yet, any player may do so when it is their turn."),
        ),
        "mexican_sign": Quotation(
            "Положите черный значок «поезда» в начало мексиканского состава сразу, когда он введен в игру",
            _("Put the black train marker at the start of the Mexican train as soon as it is in play."),
        ),
        "one_tile": Quotation(
            "В свою очередь можно выложить одну подходящую кость домино (одно из значений кости совпадает с поездом)",
            _("In your turn you may lay one tile that fits (one of its values matches the train)."),
        ),
        "others_trains": Quotation(
            "Можете класть кости домино в поезда других игроков только в том случае, если у состава есть значок "
            "«поезда».",
            _("You may lay tiles on other players' trains only if the train carries a marker."),
        ),
        "must_play": Quotation(
            "Если у Вас есть подходящая кость домино, ее необходимо использовать в игре.",
            _("If you have a tile that fits, you must use it."),
        ),
        "draw": Quotation(
            "Если у Вас нет подходящей кости домино, возьмите из стопки одну кость домино и приставьте ее к поезду, "
            "если она подходит к какому-либо из поездов.",
            _("If you have no tile that fits, take one from the pile and lay it if it fits any of the trains."),
        ),
        "drawn_double": Quotation(
            "Если эта кость домино окажется дублем-костью домино, которая подходит к какому-либо из открытых "
            "поездов, выложите ее в игру и возьмите новую кость домино.",
            _("If this tile turns out to be a double that fits any open train, lay it and take another tile."),
        ),
        "marker_on": Quotation(
            "Если Вы не смогли выложить эту кость домино ни в один из поездов, установите значок «поезда» на свой "
            "личный поезд.",
            _("If you could not lay this tile on any of the trains, put the marker on your own train."),
        ),
        "marker_off": Quotation(
            "Значок «поезда» остается в начале Вашего личного состава до тех пор, пока в один из Ваших ходов Вы не "
            "положите кость домино в свой личный поезд.",
            _(
                "The marker stays at the start of your own train until, in one of your turns, you lay a tile on your "
                "own train."
            ),
        ),
        "double": Quotation(
            "Всегда, когда Вы кладете дубль-кость домино, Вам необходимо дополнительно положить вторую кость домино, "
            "которая не является дублем",
            _("Whenever you lay a double you must lay a second tile that is not a double."),
        ),
        "open_double": Quotation(
            "дубль-кость домино необходимо всегда закрывать, и только после этого появится возможность выкладывать "
            "кости домино в другие поезда",
            _("A double must always be covered; only then can tiles be laid on other trains."),
        ),
        "double_order": Quotation(
            "Если открытые кости домино со значением дубля больше, чем одна, их нужно закрыть (по одной за ход) в "
            "том порядке, как они были выложены на стол.",
            _(
                "If more than one double is open, they must be covered (one a turn) in the order in which they were "
                "laid."
            ),
        ),
        "dead_double": Quotation(
            "Если закрыть дубль-кость домино невозможно, так как все 12 подходящих к ней костей домино уже выложены "
            "в игру, эта кость домино больше не является препятствием",
            _(
                "If a double cannot be covered because all 12 tiles that fit it have been laid, it is no longer an "
                "obstacle."
            ),
        ),
        "empty": Quotation(
            "Когда в стопке заканчиваются кости домино, игроку необходимо пропустить свой ход, если у него нет "
            "подходящей кости домино. Он также устанавливает значок «поезда» на свой состав.",
            _(
                "When the pile runs out, a player without a tile that fits must skip the turn. They put the marker "
                "on their train as well."
            ),
        ),
        "end": Quotation(
            "Кон игры заканчивается, когда кто-либо из игроков выложит в игру свою последнюю кость домино",
            _("The round ends when any of the players lays their last tile."),
        ),
        "last_tile": Quotation(
            "Когда у игрока осталась всего одна кость домино, ему необходимо объявить об этом другим игрокам, "
            "постучав ею по столу.",
            _("When a player has only one tile left, they must tell the others by knocking on the table with it."),
        ),
        "scoring": Quotation(
            "Игру выигрывает тот игрок, у которого меньше всего набрано очков за всю игру.",
            _("The game is won by the player with the fewest points over the whole game."),
        ),
        "matching": Quotation(
            "Ряд костей домино, конечные значения которых совпадают. Одно из значений первой кости ряда совпадает со "
            "значением паровоза",
            _("A row of tiles whose end values match. One of the values of its first tile matches the engine."),
        ),
    },
    "reeves": {
        "engine": Quotation(
            "নিম্নলিখিত রাউন্ডগুলি একটি দ্বিগুণ দিয়ে শুরু হয় যা পূর্ববর্তী রাউন্ডের ইঞ্জিনের নিচে এক অঙ্ক।",
            _("The following rounds begin with a double one number below the engine of the round before."),
        ),
        "starter": Quotation(
            "গেমটি শুরু করার জন্য একজন প্লেয়ার বেছে নিন, তারপর ঘড়ির কাঁটার দিকে খেলুন।",
            _("Choose a player to start the game, then play clockwise."),
        ),
        "mexican": Quotation(
            "মেক্সিকান ট্রেনটি সাধারণত সকল খেলোয়াড়ের জন্য উপলব্ধ থাকে এবং যে কোন খেলোয়াড় চাইলে তাদের পালা শুরু করতে পারে।",
            _("The Mexican train is usually open to all players, and any player who likes may start it in their turn."),
        ),
        "one_tile": Quotation(
            "যেকোনও মোড়, ডাবলস বাদে, একজন খেলোয়াড় ট্রেনে শুধুমাত্র একটি ডোমিনো রাখতে সক্ষম হয়",
            _("In any turn, doubles apart, a player can put only one domino on a train."),
        ),
        "others_trains": Quotation(
            "শেষ পর্যন্ত পাওয়া যায় খেলার জন্য ট্রেন (ব্যক্তিগত ট্রেন, মেক্সিকান ট্রেন, মার্কার সহ অন্য খেলোয়াড়ের ট্রেন)",
            _("The trains open to play on: your own train, the Mexican train, another player's train with a marker."),
        ),
        "must_play": Quotation(
            "আপনার খেলার যোগ্য টাইল থাকলে আপনাকে অবশ্যই খেলতে হবে, আপনি কৌশলগত উদ্দেশ্যে টাইল খেলা থেকে অপ্ট আউট করতে পারেন।",
            _("If you have a playable tile you must play; for strategic reasons you may opt out of playing a tile."),
        ),
        "marker_on": Quotation(
            "যদি আপনি খেলতে অক্ষম হন, একটি টাইল আঁকার পরেও , আপনার ব্যক্তিগত ট্রেনের প্রান্তের পাশে আপনার ট্রেন মার্কার রাখুন।",
            _("If you cannot play even after drawing a tile, put your train marker beside the end of your own train."),
        ),
        "marker_off": Quotation(
            "আপনি আপনার ব্যক্তিগত ট্রেনে সফলভাবে একটি টাইল বাজাতে সক্ষম হওয়ার পরে আপনি মার্কারটি সরাতে পারেন",
            _("Once you have managed to play a tile on your own train, you may remove the marker."),
        ),
        "double": Quotation(
            "একজন খেলোয়াড় ডাবল খেলার পর আপনাকে অবশ্যই ডাবল বা যেকোন উপলব্ধ ট্রেনে আরেকটি টাইল খেলতে হবে।",
            _("After a double you must play another tile on the double or on any available train."),
        ),
        "drawn_double": Quotation(
            "যদি আপনি একটি খেলার যোগ্য ডাবল আঁকেন, খেলুন এবং আবার আঁকুন।",
            _("If you draw a playable double, play it and draw again."),
        ),
        "open_double": Quotation(
            "সব যতক্ষণ না একজন খেলোয়াড় ডাবল সন্তুষ্ট করতে সক্ষম হয় ততক্ষণ পর্যন্ত অন্যান্য ট্রেনগুলি খেলার অযোগ্য।",
            _("Until a player is able to satisfy the double, the other trains cannot be played on."),
        ),
        "double_order": Quotation(
            "ডাবলগুলি যে ক্রমানুসারে খেলা হয় সেভাবেই বন্ধ করতে হবে, তাই অতিরিক্ত টাইলটি শুধুমাত্র প্রথম দ্বৈতে বাজানো যেতে পারে।",
            _(
                "Doubles must be closed in the order in which they are played, so the extra tile may only be played "
                "on the first double."
            ),
        ),
        "dead_double": Quotation(
            "যদি এটি বন্ধ করা অসম্ভব হয় কারণ সেই মূল্যবোধের অন্যান্য সমস্ত টাইলস খেলতে হবে, তাহলে এটি অন্য যোগ্য "
            "ট্রেনগুলিকে আর সীমাবদ্ধ করে না",
            _(
                "If it cannot be closed because all other tiles of that value have been played, it no longer "
                "restricts the other trains."
            ),
        ),
        "empty": Quotation(
            "যদি হাড়ের স্তূপে আর কোনো টাইলস না থাকে এবং আপনার কাছে খেলার যোগ্য টাইল না থাকে, তাহলে পাস করুন এবং "
            "একটি মার্কার রাখুন আপনার ট্রেন।",
            _(
                "If there are no more tiles in the bone pile and you have no playable tile, pass and put a marker on "
                "your train."
            ),
        ),
        "end": Quotation(
            "একটি রাউন্ডও শেষ হতে পারে যদি হাড়ের গাদা শুকিয়ে যায় এবং কেউ একটি নাটক করতে সক্ষম না হয়।",
            _("A round may also end if the bone pile runs dry and nobody is able to make a play."),
        ),
        "last_tile": Quotation(
            "যখন একজন খেলোয়াড়ের শুধুমাত্র একটি টাইল অবশিষ্ট থাকে তখন তাদের টেবিলে ট্যাপ করে অন্য খেলোয়াড়দের অবহিত করতে হবে",
            _("When a player has only one tile left, they must let the others know by tapping on the table."),
        ),
        "scoring": Quotation(
            "অন্যান্য খেলোয়াড়রা প্রতিটি রাউন্ডের শেষে তাদের অবশিষ্ট ডমিনোতে পিপ (ডট) সংখ্যা যোগ করে।",
            _("At the end of each round the other players add up the pips (dots) on their remaining dominoes."),
        ),
        "double_blank": Quotation(
            "ডবল ফাঁকা থাকা ডোমিনোগুলির জন্য, এগুলোর মূল্য 50 পয়েন্ট।",
            _("The double blank is worth 50 points."),
        ),
        "turn_order": Quotation(
            "গেমটি শুরু করার জন্য একজন প্লেয়ার বেছে নিন, তারপর ঘড়ির কাঁটার দিকে খেলুন।",
            _("Choose a player to start the game, then play clockwise."),
        ),
    },
    "cz": {
        "engine": Quotation(
            "V dalších sehrávkách to je vždy o jedna menší dabl.",
            _("In the further rounds it is always the next lower double."),
        ),
        "hands": Quotation(
            "Podle počtu hráčů si každý hráč vezme: 2-4 hráčů – 15 kamenů",
            _("Depending on the number of players each player takes: 2 to 4 players, 15 tiles."),
        ),
        "starter": Quotation(
            "Hráč s nejvyšším součtem bodů na kameni bude začínat hru.",
            _("The player with the highest sum of pips on the tile will begin the game."),
        ),
        "turn_order": Quotation(
            "Už hrají hráči normálně dokola po směru hodinových ručiček.",
            _("From now on the players play normally, round the table clockwise."),
        ),
        "one_tile": Quotation(
            "Každý už nyní pokládá pouze jeden kámen",
            _("Each player now lays one tile only."),
        ),
        "first_turn": Quotation(
            "V prvním kole (a pouze v prvním) každý hráč vypraví svůj první vlak.",
            _("In the first lap (and only in the first) each player sends off the first train."),
        ),
        "mexican": Quotation(
            "Kdokoliv může jako svůj tah zahrát otevření této „veřejné“ trati.",
            _("Anybody may open this “public” track as their turn."),
        ),
        "matching": Quotation(
            "Kameny na sebe vždy musí navazovat bodovou hodnotou",
            _("Tiles must always follow one another with the same value."),
        ),
        "others_trains": Quotation(
            "Přiloží kámen k „otevřené trati“ soupeře",
            _("Adds a tile to an opponent's “open track”."),
        ),
        "must_play": Quotation(
            "Hráč na tahu, pokud může a chce, má tři možnosti jak zahrát kámen ze své ruky.",
            _("The player to move, if able and willing, has three ways to play a tile from the hand."),
        ),
        "draw": Quotation(
            "Pokud hráč nemůže nikam přiložit, musí si dobrat kámen ze zásoby.",
            _("If a player can add a tile nowhere, they must draw one from the stock."),
        ),
        "marker_on": Quotation(
            "To provede tak, že na poslední kámen své trati položí figurku vláčku své barvy.",
            _("To do so, the player puts the little train of their own colour on the last tile of their own track."),
        ),
        "marker_off": Quotation(
            "Pokud hráč zahraje kámen k vlastní trati která je otevřená, znovu jí pro ostatní uzavře – na znamení "
            "opětného uzavření odstraní svůj vláček.",
            _(
                "A player who plays on their own open track closes it to the others again, and removes the little "
                "train as a sign."
            ),
        ),
        "double": Quotation(
            "To znamená že musí zahrát ještě jednou a přiložit kámen ze své ruky k právě položenému dablu.",
            _("That means the player must play once more and add a tile from the hand to the double just laid."),
        ),
        "open_double": Quotation(
            "Dokud není posledně položený dabl nakrmený nemůže žádný hráč hrát na jiné tratě.",
            _("Until the double laid last has been fed, no player may play on other tracks."),
        ),
        "empty": Quotation(
            "Nemůže-li hráč zahrát, ale v zásobě už není žádný kámen, musí pasovat.",
            _("If a player cannot play and there is no tile left in the stock, they must pass."),
        ),
        "end": Quotation(
            "Každá jednotlivá hra (sehrávka) končí, pokud někdo „zavře“ nebo pokud všichni odpasují.",
            _("Each single game (round) ends when somebody goes out or when everybody has passed."),
        ),
        "scoring": Quotation(
            "Existují dvě varianty jak body počítat.",
            _("There are two ways to count the points."),
        ),
        "double_blank": Quotation(
            "Kámen 0-0 se počítá za 50 bodů.",
            _("The tile 0-0 counts as 50 points."),
        ),
        "mexican_sign": Quotation(
            "Během hry může být otevřená jen jedna trať do Mexika.",
            _("During the game only one track to Mexico can be open."),
        ),
    },
    "poltava": {
        "engine": Quotation(
            "На початку гри в центр столу викладається найбільший дубль",
            _("At the beginning the highest double is laid in the middle of the table."),
        ),
        "hands": Quotation(
            "Гравці беруть собі плитки, залежно від набору доміно та кількості гравців",
            _("The players take tiles depending on the set and the number of players."),
        ),
        "first_turn": Quotation(
            "В ньому гравці починають будувати свої поїзди, можуть будувати лише їх і можуть викласти багато плиток "
            "за один хід.",
            _(
                "In it the players begin to build their trains, may build only these, and may lay many tiles in one "
                "turn."
            ),
        ),
        "turn_order": Quotation(
            "Коли він виклав усі можливі плитки, хід переходить по колу.",
            _("When all possible tiles are laid, the turn passes round the table."),
        ),
        "one_tile": Quotation(
            "За свій хід можна викласти лише одну (окрім якщо дубль - див. нижче)",
            _("In a turn you may lay only one (except a double, see below)."),
        ),
        "mexican": Quotation(
            "Усі решта ходів робляться за іншими правилами - в них можна будувати поїзд до Полтави, докладати до "
            "поїздів суперника",
            _(
                "All further turns follow other rules: in them you may build the train to Poltava and add to "
                "opponents' trains."
            ),
        ),
        "mexican_sign": Quotation(
            "Його може розпочати будь-хто від центрального дубля. Поїзд до Полтави може бути лише один.",
            _("Anybody may start it from the central double. There can be only one train to Poltava."),
        ),
        "others_trains": Quotation(
            "докласти плитку до поїзда суперника, якщо той позначений монеткою",
            _("Add a tile to an opponent's train if it is marked with a coin."),
        ),
        "draw": Quotation(
            "Якщо гравець не може походити - наприклад не може перекрити дубль, або не може зробити інший хід, якщо "
            "відкритих дублів нема, то гравець тягне одну плитку з базару.",
            _(
                "If a player cannot move, for example cannot cover the double, or cannot make another move where no "
                "double is open, the player draws one tile from the boneyard."
            ),
        ),
        "marker_on": Quotation(
            "Якщо і далі в нього ходу нема - то він позначає свій поїзд монеткою і пропускає хід.",
            _("If there is still no move, the player marks their own train with a coin and skips the turn."),
        ),
        "marker_off": Quotation(
            "Якщо ж гравець зміг походити, при чому не залежить від того - куди, монетка з його поїзда знімається, "
            "якщо там вона була.",
            _("If the player could move, no matter where, the coin comes off the player's train if it was there."),
        ),
        "double": Quotation(
            "Якщо гравець походив дублем, то він зобов'язаний ходити знову.",
            _("A player who has laid a double must move again."),
        ),
        "open_double": Quotation(
            "При цьому докласти плитку до відкритого дубля, якщо такий є - обов'язково.",
            _("To add a tile to an open double, if there is one, is obligatory."),
        ),
        "dead_double": Quotation(
            "В такому випадку дубль варто перевернути - до цього поїзда докладати вже неможливо.",
            _("In that case the double should be turned over: nothing can be added to this train any more."),
        ),
        "end": Quotation(
            "Коли якийсь гравець виклав усі свої плитки, або якщо вже докласти плитку неможливо, гра завершується.",
            _("When a player has laid all tiles, or if no tile can be added any more, the game ends."),
        ),
        "first_lap_end": Quotation(
            "Якщо гравець виклав усі свої плитки за перший хід, то ті гравці, що ще не походили роблять свої перші "
            "ходи і тоді гра завершується.",
            _(
                "If a player has laid all tiles in the first turn, those who have not moved yet make their first "
                "turns, and then the game ends."
            ),
        ),
        "scoring": Quotation(
            "Всі гравці рахують свої очки, що лишилися на руках і пишуть їх собі.",
            _("All players count the points left in their hands and write them down for themselves."),
        ),
    },
    "jielong": {
        **_CONNECTING,
        "settlement": Quotation(
            "Класичний розрахунок передбачає оплату між гравцями різниці суми очок.",
            _("In the classic settlement the players pay each other the difference of their points."),
        ),
        "hands": Quotation(
            "Якщо грає троє, то кожен бере 10 плиток (2 лишається закритими і не грають). Якщо двоє - то здаються 16 "
            "плиток кожному.",
            _(
                "If three play, each takes 10 tiles (2 stay closed and are not played). If two play, each is dealt "
                "16 tiles."
            ),
        ),
        "arms": Quotation(
            "Власне у З’єднай Дракона є варіант як з одним рукавом, так і з двома.",
            _("Join the Dragon has a variant with one arm as well as with two."),
        ),
    },
    "chedeng": {
        **_CONNECTING,
        "settlement": Quotation(
            "Класичний розрахунок передбачає оплату між гравцями різниці суми очок.",
            _("In the classic settlement the players pay each other the difference of their points."),
        ),
        "hands": Quotation(
            "там кількість гравців строго визначена - чотири і ні більше ні менше",
            _("There the number of players is strictly fixed: four, no more and no fewer."),
        ),
        "redeal": Quotation(
            "якщо в когось на руках при роздачі попало сім дублів, то йде перездача",
            _("If somebody is dealt seven doubles, the tiles are dealt again."),
        ),
        "bonuses": Quotation(
            "Якщо голова відклав сім доміно, або якщо хвіст відклав всі вісім доміно, тобто не зіграв жодного, то "
            "очки, які він платить множаться на два.",
            _(
                "If the head has put seven tiles away, or a tail all eight and so played none, the points that "
                "player pays are doubled."
            ),
        ),
        "arms": Quotation(
            "А от Косий Цвях і Хвости граються строго в одну сторону.",
            _("The Slanting Nail and Tails, however, are played strictly to one side."),
        ),
    },
    "kkori": {
        **_CONNECTING,
        "settlement": Quotation(
            "лише гравець, що набрав найбільшу кількість очок платить переможцю. Інші гравці платять лише в тому "
            "випадку, якщо набрали більше ніж 30 очок.",
            _(
                "Only the player with the most points pays the winner. The others pay only if they have more than 30 "
                "points."
            ),
        ),
        "hands": Quotation(
            "В грі Хвости забираються дублі від [3:3] до [6:6], що робить колоду в 24 плитки. Якщо грає троє, то "
            "кожен отримує вісім плиток, якщо двоє - то 12.",
            _(
                "In the game of Tails the doubles from 3:3 to 6:6 are taken out, which leaves 24 tiles. Three "
                "players get eight tiles each, two players 12."
            ),
        ),
        "arms": Quotation(
            "А от Косий Цвях і Хвости граються строго в одну сторону.",
            _("The Slanting Nail and Tails, however, are played strictly to one side."),
        ),
    },
}
"""Rule set -> topic -> the sentence."""

ABOUT: Mapping[str, tuple[str, ...]] = {
    "engine": (V.WRONG_ENGINE, V.ENGINE_NOT_DOUBLE, "engine_from", "first_engine"),
    "hands": (V.HAND_SIZE, "hand", "hand_table", "small_deck_players"),
    "starter": ("starter_by",),
    "turn_order": (V.OUT_OF_TURN,),
    "matching": (V.MISMATCH, V.WRONG_ROOT),
    "first_turn": (
        V.FIRST_TURN_OWN_ONLY,
        V.DRAW_FIRST_TURN,
        V.FIRST_TRAIN_NOT_MAXIMAL,
        "long_first",
        "others_from_turn",
        "first_simultaneous",
        "first_optional",
        "strict_first_train",
    ),
    "mexican": (V.MX_TOO_EARLY, "mx_from_turn"),
    "mexican_sign": (V.SECOND_MEXICAN, V.MX_MARKER_MISSING, "mx_sign"),
    "one_tile": (V.EXTRA_TILE,),
    "others_trains": (V.CLOSED_TRAIN,),
    "must_play": (V.NEEDLESS_DRAW, V.PASSED_WITH_PLAYABLE, "may_decline"),
    "draw": (V.NO_DRAW, V.EXTRA_DRAW, V.NEEDLESS_DRAW, V.PASSED_WITH_PLAYABLE, "draws"),
    "drawn_double": ("redraw_after_drawn_double",),
    "empty": (V.DRAW_FROM_EMPTY, "marker_on_empty_boneyard"),
    "marker_on": (V.MARKER_MISSING, V.MARKER_UNEARNED, V.NO_DRAW, V.EXTRA_DRAW, "marker_after"),
    "marker_off": (V.MARKER_REMOVED_WRONGLY, V.MARKER_NOT_REMOVED, "marker_off", "marker_off_required"),
    "double": (V.DOUBLE_NOT_FOLLOWED, V.EXTRA_NOT_ON_DOUBLE, "extra_tile"),
    "open_double": (V.OPEN_DOUBLE_IGNORED,),
    "double_order": (
        V.DOUBLE_ORDER,
        V.EXTRA_NOT_ON_FIRST_DOUBLE,
        "close_order",
        "extra_in_order",
        "closings_per_turn",
    ),
    "dead_double": (V.DEAD_TRAIN, V.WRONG_FLIP, V.FLIP_NOT_IN_RULES, "dead_double"),
    "end": (V.PLAY_AFTER_END, V.FALSE_BLOCK, V.DRAW_WHEN_BLOCKED, "block_rule"),
    "first_lap_end": (V.FIRST_LAP_NOT_FINISHED, "finish_first_lap"),
    "last_tile": (V.ANNOUNCE_MISSING, "announce"),
    "scoring": (V.SCORE_ERROR, "scoring"),
    "double_blank": ("double_blank",),
    "lead": (V.LEAD_MUST_PLAY, V.OPEN_END_UNDECLARED),
    "open_end": (V.CLOSED_END, V.EXTRA_TILE),
    "arms": ("arms",),
    "discard": (V.PASS_WITHOUT_DISCARD, V.DISCARD_FACE_UP, V.DISCARD_WITH_PLAYABLE, "may_decline"),
    "settlement": (V.SETTLEMENT_ERROR, "settlement"),
    "redeal": (V.REDEAL_MISSED, "redeal_doubles"),
    "bonuses": ("head_tail", "multipliers"),
    "next_leader": ("next_leader",),
    "match": ("match_points", "match_deals"),
}
"""Topic -> the codes, and the fields of a rule set, that it is about."""


def quotation(rules: str, about: str) -> Quotation | None:
    """What the text of a game says of a code or a field of its rules; None where it has no sentence for that."""
    quoted = QUOTATIONS.get(rules, {}).items()
    return next((found for topic, found in quoted if about in ABOUT[topic]), None)


_GAME_OF = {"000": "poltava", "001": "cz", "003": "reeves", "004": "tactic"}
"""A text -> the one game that rests on it, for the rule files of houses that extend that game."""


def quotation_about(rules: str, source: str, about: str, changed: Collection[str] = ()) -> Quotation | None:
    """As `quotation`, for a house's own file too, which has the text of the game that it extends.

    `changed`: the fields that the house has changed; of what they are about the text no longer speaks.
    """
    quoted = QUOTATIONS.get(rules if rules in QUOTATIONS else _GAME_OF.get(source, ""), {}).items()
    topic, found = next(((topic, found) for topic, found in quoted if about in ABOUT[topic]), ("", None))
    return None if found is None or any(one in changed for one in ABOUT[topic]) else found
