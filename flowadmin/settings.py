"""The only settings module: it maps the environment onto Django's names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django_stubs_ext
import pymysql
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from flowadmin.environment import Mode, read

ENVIRONMENT = read()
BASE_DIR = Path(__file__).resolve().parent.parent

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.csrf_trusted_origins)
ROOT_URLCONF = "flowadmin.urls"
WSGI_APPLICATION = "flowadmin.wsgi.application"

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "axes",
    "csp",
    "django_filters",
    "django_htmx",
    "django_tables2",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "flowadmin",
    "flowadmin.coordination",
    "flowadmin.directory",
    "flowadmin.rest",
    "flowadmin.files",
    "rules",
    "workflow",
    "notifications",
]

MIDDLEWARE = [
    "flowadmin.rest.request_ids.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "flowadmin.rest.middleware.ProblemPages",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "flowadmin.directory.middleware.SessionEnded",
    "flowadmin.directory.middleware.Preferences",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "notifications.context_processors.unread",
            ],
        },
    }
]

DATABASES = {"default": ENVIRONMENT.database}
if ENVIRONMENT.database["ENGINE"] == "django.db.backends.mysql":
    # PyMySQL is pure Python and locked with the rest; it stands in for the driver Django names.
    pymysql.install_as_MySQLdb()
# Own field template: label, help and error are tied together for screen readers.
FORM_RENDERER = "flowadmin.form_renderer.FormRenderer"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES: dict[str, dict[str, Any]] = (
    {"default": {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": ENVIRONMENT.redis_url}}
    if ENVIRONMENT.redis_url
    else {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
)

# People and sign-in -------------------------------------------------------------------------
AUTH_USER_MODEL = "directory.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_FORM_FIELD = "username"
AXES_HANDLER = "flowadmin.directory.lockout.CountedTries"
AXES_CLIENT_IP_CALLABLE = "flowadmin.directory.lockout.client_address"
AXES_LOCKOUT_CALLABLE = "flowadmin.directory.pages.locked_out"
# The waiting time that the page names stays true, and no row is kept for each sign-in.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False

# Cookies and headers ------------------------------------------------------------------------
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "flowadmin.rest.pages.csrf_failed"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# MariaDB has no partial indexes; there the index of the foreign key serves the same lists.
SILENCED_SYSTEM_CHECKS = ["models.W037"]
# Probes come from inside, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^health/", r"^metrics$"]
if ENVIRONMENT.https:
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}

# Languages and time -------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "flowadmin" / "locale"]
FORMAT_MODULE_PATH = ["flowadmin.formats"]

# Files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = ENVIRONMENT.data / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# Kept for ever: what collectstatic has named by its content, and the parts of the designer, which
# the build has named so already and which import each other by those names.
WHITENOISE_IMMUTABLE_FILE_TEST = r"(\.[0-9a-f]{12}\.\w+|/dist/\w+-[0-9A-Z]{8}\.js)$"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 30_000

# REST ---------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "flowadmin.rest.authentication.ExpiringTokenAuthentication",
        "flowadmin.rest.authentication.BrowserSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["flowadmin.rest.front_door.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "flowadmin.rest.openapi.Schema",
    "EXCEPTION_HANDLER": "flowadmin.rest.problems.answer_problem",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "FlowAdmin",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "flowadmin.rest.openapi.add_problems",
    ],
}

# E-mail -------------------------------------------------------------------------------------
# Of notices alone, and only when FLOWADMIN_EMAIL_URL says where it leaves.
if ENVIRONMENT.mail_server is not None:
    EMAIL_BACKEND = "notifications.mail_backend.MailBackend"
    EMAIL_HOST = ENVIRONMENT.mail_server.host
    EMAIL_PORT = ENVIRONMENT.mail_server.port
    EMAIL_HOST_USER = ENVIRONMENT.mail_server.user
    EMAIL_HOST_PASSWORD = ENVIRONMENT.mail_server.password
    EMAIL_USE_TLS = ENVIRONMENT.mail_server.security == "starttls"
    EMAIL_USE_SSL = ENVIRONMENT.mail_server.security == "tls"
    DEFAULT_FROM_EMAIL = ENVIRONMENT.mail_from
EMAIL_TIMEOUT = 10

# Background ---------------------------------------------------------------------------------
CELERY_BROKER_URL = ENVIRONMENT.broker_url
CLUSTER = ENVIRONMENT.mode is Mode.CLUSTER

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "flowadmin.rest.request_ids.RequestIdFilter"}},
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {request_id} {message}", "style": "{"}
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["request_id"],
        }
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "axes": {"level": "WARNING"},
        # Its lines below errors name addresses of chats, which are secrets.
        "apprise": {"level": "CRITICAL"},
        # A line for each success would be one every five seconds, for ever.
        "celery.app.trace": {"level": "WARNING"},
    },
}

django_stubs_ext.monkeypatch()
