"""Short texts in many languages, written for these tests, with what must and must not become a term of them."""

from __future__ import annotations

from dataclasses import dataclass

from taxocom.text.input.documents import Document


@dataclass(frozen=True)
class Texts:
    """A dozen sentences; names of a seed and how they stand there; words that are terms and words that are not."""

    code: str
    sentences: tuple[str, ...]
    seed: tuple[str, ...]
    spelled: tuple[str, ...]
    terms: tuple[str, ...]
    function_words: tuple[str, ...]

    def documents(self) -> list[Document]:
        """Documents of three sentences each, so that every sentence is met three times in other company."""
        n = len(self.sentences)
        picked = [[self.sentences[(i + step) % n] for step in (0, 1, 5)] for i in range(n)]
        return [Document(f"{self.code}-{i}", " ".join(sentences)) for i, sentences in enumerate(picked)]


GERMAN = Texts(
    "de",
    (
        "Die Krankenhäuser der Stadt haben in diesem Jahr mehr Betten als je zuvor.",
        "In den Schulen auf dem Land fehlen immer noch viele Lehrer.",
        "Der Bürgermeister sagte, dass die neue Brücke im Herbst fertig wird.",
        "Wenn es regnet, bleiben die Kinder lieber zu Hause und lesen ein Buch.",
        "Ärzte und Pfleger arbeiten in den Krankenhäusern oft auch in der Nacht.",
        "Die Regierung will den Bau von Wohnungen mit mehr Geld unterstützen.",
        "Nach dem Spiel feierten die Anhänger auf dem Marktplatz bis zum Morgen.",
        "Das Museum zeigt Bilder, die noch nie in Europa zu sehen waren.",
        "Viele Menschen fahren mit dem Fahrrad zur Arbeit, weil es schneller geht.",
        "Die Preise für Strom sind gestiegen, aber das Gas ist billiger geworden.",
        "Ein Gericht in Hamburg hat über die Klage der Nachbarn entschieden.",
        "Im Winter liegt in den Bergen so viel Schnee, dass die Straßen gesperrt sind.",
    ),
    ("Krankenhaus", "Schule"),
    ("krankenhäuser", "krankenhäusern", "schulen"),
    ("regierung", "schnee", "straßen", "menschen", "brücke"),
    ("die", "der", "in", "diesem", "mehr", "als", "auf", "dem", "immer", "noch", "viele", "dass", "und", "oft", "auch",
     "nach", "bis", "zum", "das", "waren", "mit", "weil", "für", "aber", "ist", "hat", "über", "so"),
)  # fmt: skip

FRENCH = Texts(
    "fr",
    (
        "Les hôpitaux de la ville manquent de médecins depuis plusieurs années.",
        "Dans les écoles, les enfants apprennent à lire avec des livres qu'ils choisissent.",
        "Le gouvernement a annoncé hier qu'il construirait un nouveau pont.",
        "Il n'y a pas assez de neige pour ouvrir les pistes avant Noël.",
        "L'équipe a gagné le match, mais l'entraîneur n'est pas satisfait.",
        "Le prix de l'électricité augmente et celui du gaz diminue.",
        "Nous avons visité un musée où l'on voit des tableaux anciens.",
        "Les agriculteurs attendent la pluie, car la terre est très sèche.",
        "Elle travaille à l'hôpital de nuit parce que c'est plus calme.",
        "Le tribunal a jugé que la loi ne s'applique pas à cette affaire.",
        "Des chercheurs ont découvert une plante qu'on croyait disparue.",
        "Le train part d'un quai différent quand il y a des travaux.",
    ),
    ("hôpital", "écoles"),
    ("hôpitaux", "hôpital", "école"),
    ("gouvernement", "neige", "électricité", "musée", "équipe"),
    ("les", "de", "la", "depuis", "plusieurs", "dans", "à", "avec", "ils", "il", "qu'il", "n'y", "pas", "pour", "avant",
     "mais", "est", "et", "celui", "nous", "avons", "où", "car", "très", "parce", "que", "cette", "qu'on", "d'un",
     "quand"),
)  # fmt: skip

SPANISH = Texts(
    "es",
    (
        "Los hospitales de la región necesitan más médicos y más camas.",
        "En las ciudades grandes el alquiler sube cada año.",
        "El gobierno anunció ayer que construirá un puente nuevo sobre el río.",
        "Aunque llovía mucho, los niños fueron a la escuela con sus padres.",
        "El equipo ganó el partido, pero el entrenador no está contento.",
        "Los agricultores esperan que llueva porque la tierra está muy seca.",
        "El precio del petróleo ha bajado desde que empezó el verano.",
        "En el museo hay cuadros que nunca se habían visto en Europa.",
        "Ella trabaja de noche en el hospital y vuelve a casa por la mañana.",
        "El tribunal decidió que la ley no se aplica a este caso.",
        "Los científicos encontraron una planta que se creía desaparecida.",
        "Cuando nieva en la montaña, las carreteras se cierran.",
    ),
    ("hospital", "ciudad"),
    ("hospitales", "ciudades"),
    ("gobierno", "petróleo", "niños", "año", "tribunal"),
    ("los", "de", "la", "más", "y", "en", "las", "cada", "que", "sobre", "aunque", "con", "sus", "pero", "no", "está",
     "porque", "muy", "del", "ha", "desde", "hay", "nunca", "se", "ella", "por", "este", "una", "cuando"),
)  # fmt: skip

RUSSIAN = Texts(
    "ru",
    (
        "Больницы нашего города получили новое оборудование.",
        "В больницах не хватает врачей, потому что зарплата у них низкая.",
        "Правительство объявило, что через реку построят новый мост.",
        "Дети читают книги, которые они взяли в библиотеке.",
        "Если пойдёт дождь, матч перенесут на следующую неделю.",
        "Цены на нефть выросли, но бензин пока не подорожал.",
        "Зимой в горах так много снега, что дороги закрывают.",
        "Учёные открыли растение, о котором раньше никто не знал.",
        "Она работает в музее, где хранятся старинные картины.",
        "Суд решил, что этот закон к ним не относится.",
        "Команда выиграла, хотя играла без своего лучшего нападающего.",
        "Жители этих городов ездят на работу на поезде.",
    ),
    ("больница", "город"),
    ("больницы", "больницах", "города", "городов"),
    ("правительство", "нефть", "закон", "учёные", "команда"),
    ("в", "не", "потому", "что", "у", "них", "через", "которые", "они", "если", "на", "но", "пока", "так", "много", "о",
     "котором", "раньше", "никто", "она", "где", "этот", "к", "ним", "хотя", "без", "своего", "этих"),
)  # fmt: skip

CHINESE = Texts(
    "zh",
    (
        "因为下雨，孩子们今天都在学校里看书。",
        "这家医院的医生很多，但是病床还是不够。",
        "我们可以坐火车去北京，也可以坐飞机。",
        "政府正在修建一座新的大桥。",
        "中国的经济在过去几年里发展得很快。",
        "他们在比赛以后回到了自己的家。",
        "因为天气很冷，所以山上的路已经关了。",
        "这些城市的空气比以前好了，但是水还不干净。",
        "科学家们发现了一种新的植物。",
        "她说她的妈妈在一家医院里工作。",
        "如果你有时间，可以去博物馆看看。",
        "学校的老师们对学生的要求很高。",
    ),
    ("学校", "医院"),
    ("学校", "医院"),
    ("中国", "经济", "北京", "政府"),
    ("因为", "但是", "可以", "我们", "他们", "所以", "已经", "如果", "自己", "这些", "的", "了", "在", "也", "很", "都",
     "她", "你", "们"),
)  # fmt: skip

JAPANESE = Texts(
    "ja",
    (
        "東京の学校では、子どもたちが毎日本を読んでいます。",
        "この病院には医者が多いですが、ベッドはまだ足りません。",
        "政府は新しい橋を作るために予算を増やしました。",
        "雨の場合は、試合を来週に行うことになりました。",
        "私は電車で大学に行きますが、彼女は自転車で行きます。",
        "日本の経済は、この数年でゆっくりと成長しました。",
        "冬になると、山の道路は雪のために閉まります。",
        "博物館では古い絵を見ることができます。",
        "科学者は新しい植物を見つけたと発表しました。",
        "学校の先生は、生徒の作文について話しました。",
        "選挙の結果は、明日の朝までに分かるそうです。",
        "町の病院は、夜でも開いている場合があります。",
    ),
    ("学校", "病院"),
    ("学校", "病院"),
    ("経済", "政府", "選挙", "ベッド"),
    ("場合", "彼女", "私", "の", "は", "が", "を", "に", "で", "この", "ため", "こと", "です", "ます"),
)  # fmt: skip

ARABIC = Texts(
    "ar",
    (
        "أعلنت الحكومة اليوم عن بناء جسر جديد في وسط المدينة.",
        "يدرس آلاف الطلاب في الجامعات التي تقع خارج العاصمة.",
        "قال الطبيب إن المستشفى يحتاج إلى أسرة أخرى.",
        "هذا الكِتَابُ من أجمل ما قرأت في حياتي.",
        "ارتفعت أسعار النفط بعد أن انخفضت في الشهر الماضي.",
        "لعب الفريق مباراة قوية لكنه خسر في النهاية.",
        "تسقط الثلوج على الجبال في الشتاء ثم تغلق الطرق.",
        "وافقت الحكـــومة على ميزانية الجامعات لهذا العام.",
        "يعمل المهندسون على مشروع لتوفير المياه في القرى.",
        "كان المتحف مغلقا لأنه كان قيد الترميم.",
        "نشر الكاتب هذا الكتاب بعد سنوات من البحث.",
        "وفي المساء عاد الأطفال من المدرسة إلى بيوتهم.",
    ),
    ("جامعة", "مهندس"),
    ("الجامعات", "المهندسون"),
    ("الحكومة", "الكتاب", "النفط", "المدينة"),
    ("عن", "في", "التي", "قال", "إن", "إلى", "هذا", "من", "ما", "بعد", "أن", "على", "ثم", "لهذا", "كان", "لأنه", "وفي"),
)  # fmt: skip

HINDI = Texts(
    "hi",
    (
        "बच्चे स्कूल में हर दिन नई किताबें पढ़ते हैं।",
        "सरकार ने आज शहर में एक नया पुल बनाने की घोषणा की।",
        "अस्पताल में डॉक्टर तो बहुत हैं लेकिन बिस्तर कम हैं।",
        "किसानों को इस साल अच्छी बारिश की उम्मीद है।",
        "वह अपनी माँ के साथ बाज़ार गई और सब्ज़ियाँ खरीदीं।",
        "टीम ने मैच जीत लिया और लोगों ने खुशी मनाई।",
        "सर्दियों में पहाड़ों पर इतनी बर्फ़ गिरती है कि रास्ते बंद हो जाते हैं।",
        "पुस्तकालय में इन किताबों को कोई भी पढ़ सकता है।",
        "वैज्ञानिकों ने एक नए पौधे की खोज की है।",
        "तेल की कीमतें पिछले महीने से बढ़ रही हैं।",
        "संग्रहालय में पुरानी मूर्तियाँ और चित्र रखे गए हैं।",
        "न्यायालय ने कहा कि यह क़ानून सब पर लागू होगा।",
    ),
    ("किताब", "किसान"),
    ("किताबें", "किताबों", "किसानों"),
    ("सरकार", "पुस्तकालय", "वैज्ञानिकों", "मूर्तियाँ", "न्यायालय"),
    ("में", "हर", "हैं", "ने", "एक", "की", "तो", "बहुत", "लेकिन", "कम", "को", "इस", "है", "वह", "अपनी", "के", "साथ",
     "और", "पर", "कि", "इन", "कोई", "भी", "से", "यह", "सब", "होगा"),
)  # fmt: skip

ALL = (GERMAN, FRENCH, SPANISH, RUSSIAN, CHINESE, JAPANESE, ARABIC, HINDI)

# A little of each of the other languages, and some function words of it.
OTHERS = {
    "en": ("The government said yesterday that it would build a new bridge across the river.", "the that it would a"),
    "it": ("Il governo ha detto ieri che costruirà un nuovo ponte sul fiume, ma non subito.", "il ha che un ma non"),
    "pt": ("O governo anunciou ontem que vai construir uma nova ponte, mas não este ano.", "o que vai uma mas não"),
    "nl": ("De regering heeft gisteren gezegd dat zij een nieuwe brug over de rivier bouwt.", "de heeft dat zij een"),
    "ca": ("El govern va anunciar ahir que construirà un pont nou sobre el riu amb aquests diners.", "el va que amb"),
    "ro": ("Guvernul a anunțat ieri că va construi un pod nou, însă și drumurile așteaptă.", "a că va un însă și"),
    "pl": ("Rząd ogłosił wczoraj, że zbuduje nowy most, ale nie wiadomo jeszcze, kiedy.", "że ale nie jeszcze kiedy"),
    "cs": ("Vláda včera oznámila, že přes řeku postaví nový most, který bude delší.", "že přes který bude"),
    "sk": ("Vláda včera oznámila, že cez rieku postaví nový most, ktorý bude dlhší ako starý.", "že cez ktorý ako"),
    "sl": ("Vlada je včeraj sporočila, da bo čez reko zgradila nov most, ki je zelo dolg.", "je da bo čez ki zelo"),
    "hr": ("Vlada je jučer objavila da će se preko rijeke graditi novi most, ali tek sljedeće godine.", "je da će ali"),
    "sr": ("Влада је јуче објавила да ће преко реке бити изграђен нови мост, али тек следеће године.", "је да ће али"),
    "uk": ("Уряд учора оголосив, що через річку побудують новий міст, але ще не знає, коли.", "що через але ще не"),
    "bg": ("Правителството обяви вчера, че ще построи нов мост над реката, но не каза кога.", "че ще над но не"),
    "sv": ("Regeringen sade i går att den ska bygga en ny bro över floden, men inte i år.", "i att den ska men inte"),
    "da": ("Regeringen sagde i går, at den vil bygge en ny bro over åen, men ikke hvornår.", "i at den vil men ikke"),
    "no": ("Regjeringen sa i går at den skal bygge ei ny bru over elva, men ikke når.", "i at den skal men ikke når"),
    "fi": ("Hallitus kertoi eilen, että se rakentaa uuden sillan joen yli, mutta ei vielä.", "että se mutta ei vielä"),
    "hu": ("A kormány tegnap bejelentette, hogy új hidat épít a folyón, de még nem tudni, mikor.", "a hogy de még nem"),
    "el": ("Η κυβέρνηση ανακοίνωσε χθες ότι θα χτίσει μια νέα γέφυρα, αλλά δεν είπε πότε.", "η ότι θα μια αλλά δεν"),
    "lt": ("Vyriausybė vakar pranešė, kad per upę bus pastatytas naujas tiltas, tačiau ne šiemet.", "kad per tačiau"),
    "lv": ("Valdība vakar paziņoja, ka pāri upei uzcels jaunu tiltu, bet vēl nav zināms, kad.", "ka pāri bet vēl nav"),
    "et": ("Valitsus teatas eile, et üle jõe ehitatakse uus sild, kuid ei öelnud, millal see valmib.", "et üle ei"),
    "tr": ("Hükümet dün nehrin üzerine yeni bir köprü yapılacağını açıkladı, ama tarih için bir şey söylemedi.",
           "üzerine bir ama için şey"),
}  # fmt: skip
