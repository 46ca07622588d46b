use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-currency",
    summary: "a cost is not in an ISO 4217 currency",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#session-usage-updates"),
        requires: "the currency is an ISO 4217 code",
    }],
    explanation: r"
Clients format the amount by its currency. With `dollars` or `usd`, formatting libraries fail or
print the code unchanged. A code is three capital letters.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"dollars"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}"#,
    )],
    on: &[On::Update(&["usage_update"], check)],
    variants: &[(Severity::Info, "where it looks like a currency code")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let currency = update.update.get("cost")?.get("currency")?.text()?;
    let code = currency.as_cow();
    let is_code = code.len() == 3 && code.bytes().all(|letter| letter.is_ascii_uppercase());
    if is_code && CODES.contains(&*code) {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("`{currency}` is not an ISO 4217 currency")).once_per(&*code);
    Some(
        if is_code {
            finding.at(currency, "not in the list").as_severity(Severity::Info)
        } else {
            finding.at(currency, "not three capital letters").help(format!(
                "write a code such as `{}`",
                if code.eq_ignore_ascii_case("eur") { "EUR" } else { "USD" }
            ))
        }
        .into(),
    )
}

/// Currency codes of ISO 4217, list one, of 2025, with blanks between them. The list changes about
/// once a year; a missing code costs no more than a remark.
const CODES: &str = "\
     AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND \
     BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU \
     CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP \
     GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES \
     KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD \
     MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR \
     PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD \
     SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS \
     UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA \
     XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG";
